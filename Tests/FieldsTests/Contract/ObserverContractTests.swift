import Dispatch
import ModelKitFields
import TestSupport
import Testing

/// The contract of observers and the main thread, a test for a sentence.
@Suite(.timeLimit(.minutes(10))) struct ObserverContractTests {
    @Test func `an observer is called once when it is added and then whenever a value is set`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        let watcher = Watcher()
        field --> { log.add($0) }
        field.addObserver(watcher)
        field.observe { log.add($0) }
        expect(log.entries + watcher.log.entries, equals: [1, 1, 1])
        field.value = 1
        expect(log.entries, equals: [1, 1, 1, 1])
        expect(watcher.log.entries, equals: [1, 1])
    }

    @Test func `one of changes is called for changes only`() {
        let field = Field<Int>(value: 1)
        let log = Log<Step>()
        field.observe(when: .changes) { old, new in log.add(Step(old, new)) }
        field.value = 1
        field.value = 2
        expect(log.entries, equals: [Step(1, 2)])
    }

    @Test func `closures take the value, both or nothing`() {
        let field = Field<Int>(value: 1)
        let log = Log<String>()
        field --> { (value: Int?) in log.add("\(value ?? 0)") }
        field --> { old, new in log.add("\(old ?? 0) \(new ?? 0)") }
        field --> { log.add("plain") }
        expect(log.entries, equals: ["1", "0 1", "plain"])
    }

    @Test func `an observer object is held weakly, and handed back for a chain`() {
        let field = Field<Int>(value: 1)
        weak var weakly: Watcher?
        do {
            let watcher = Watcher()
            weakly = watcher
            expect((field --> watcher) === watcher)
            expect(watcher.log.entries, equals: [1])
        }
        expect(weakly == nil)
    }

    @Test func `an owner only identifies its closures, weakly`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        weak var weakly: Owner?
        do {
            let owner = Owner()
            weakly = owner
            field --> owner { log.add($0) }
        }
        expect(weakly == nil)
        field.value = 2
        expect(log.entries, equals: [1])
    }

    @Test func `observe hands the weak owner in`() {
        let field = Field<Int>(value: 1)
        let watcher = Watcher()
        field.observe(watcher) { $0.log.add($1) }
        field.value = 2
        expect(watcher.log.entries, equals: [1, 2])
    }

    @Test func `a token may be dropped, a scoped one ends its observation`() {
        let field = Field<Int>(value: 1)
        let log = Log<String>()
        _ = field.observe(when: .changes) { log.add("dropped") }
        do {
            let scoped = field.observe(when: .changes) { log.add("scoped") }.scoped()
            withExtendedLifetime(scoped) {}
        }
        field.value = 2
        expect(log.entries, equals: ["dropped"])
    }

    @Test func `an arrow to a field returns it, so that arrows chain`() {
        let fields = (0..<3).map { _ in Field<Int>(value: 0) }
        expect((fields[0] --> fields[1] --> fields[2]) === fields[2])
        fields[0].value = 1
        expect(fields[2].value, equals: 1)
    }

    @Test func `observers are removed by owner, by object and all at once`() {
        let field = Field<Int>(value: 1)
        let owner = Owner()
        let watcher = Watcher()
        let log = Log<Int?>()
        field --> owner { log.add($0) }
        field --> watcher
        field --> { log.add($0) }
        field -/-> owner
        field.removeObserver(watcher)
        field.value = 2
        field.removeAllObservers()
        field.value = 3
        expect(log.entries, equals: [1, 1, 2])
        expect(watcher.log.entries, equals: [1])
    }

    @Test func `one added during a delivery sees only later changes`() {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        field.observe(when: .changes) { value in
            if value == 1 { field.observe(when: .changes) { log.add($0) } }
        }
        field.value = 1
        expect(log.entries, equals: [])
        field.value = 2
        expect(log.entries, equals: [2])
    }

    @Test func `one removed during a delivery is not called again`() {
        let field = Field<Int>(value: 0)
        let owner = Owner()
        let log = Log<Int?>()
        field.observe(when: .changes) { _ in field -/-> owner }
        field --> owner { log.add($0) }
        field.value = 1
        expect(log.entries, equals: [0])
    }

    // MARK: - The main thread

    @MainActor
    @Test func `on the main actor a change is delivered in place if the mailbox is empty`() {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        field.onMain --> { log.add($0) }
        field.value = 1
        expect(log.entries, equals: [0, 1])
    }

    @MainActor
    @Test func `else it is appended: the newest is kept, with the old value of the oldest`() async {
        let field = Field<Int>(value: 0)
        let log = Log<Step>()
        field.onMain.observe(when: .changes) { old, new in log.add(Step(old, new)) }
        startThread {
            field.value = 1
            field.value = 2
        }()
        field.value = 3
        expect(log.entries, equals: [])
        while log.entries.isEmpty { await Task.yield() }
        expect(log.entries, equals: [Step(0, 3)])
    }
}
