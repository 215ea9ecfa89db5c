import Dispatch
import ModelKitFields
import TestSupport
import Testing

/// Every form of observing is there for every source, and delivers the same.
@Suite(.timeLimit(.minutes(10))) struct ObservingFormsTests {
    @Test(arguments: Source.allCases, Shape.allCases)
    func `every form reports the start and every set`(source: Source, shape: Shape) async {
        for form in Form.allCases {
            let field = Field<Int>(value: 1)
            let log = Log<String>()
            let owner = Owner()
            let kept = source.add(form, shape, to: field, owner) { log.add($0) }
            await source.drain()
            expect(log.entries, equals: [shape.text(nil, 1)], "\(form)")
            field.value = 2
            await source.drain()
            expect(log.entries, equals: [shape.text(nil, 1), shape.text(1, 2)], "\(form)")
            withExtendedLifetime(kept) {}
        }
    }

    @Test func `one that asks for changes gets changes only, in every form`() {
        let field = Field<Int>(value: 1)
        let log = Log<String>()
        let watcher = Watcher()
        let owner = Owner()
        field.observe(when: .changes) { (value: Int?) in log.add("\(value ?? 0)") }
        field.observe(when: .changes) { old, new in log.add("\(old ?? 0) \(new ?? 0)") }
        field.observe(when: .changes) { log.add("plain") }
        field.observe(owner, when: .changes) { _, _ in log.add("owner") }
        field.observe(owner, when: .changes) { _, value in log.add("owner \(value ?? 0)") }
        field.observe(owner, when: .changes) { _, old, new in
            log.add("owner \(old ?? 0) \(new ?? 0)")
        }
        field.addObserver(watcher, when: .changes)
        field.value = 1
        expect(log.entries, equals: [])
        expect(watcher.log.entries, equals: [])
        field.value = 2
        expect(log.entries, equals: ["2", "1 2", "plain", "owner", "owner 2", "owner 1 2"])
        expect(watcher.log.entries, equals: [2])
    }

    @Test func `a field that observes changes is not bound, but set by them`() {
        let source = Field<Int>(value: 1)
        let target = Field<Int>(value: 0)
        source.addObserver(target, when: .changes)
        source.value = 1
        expect(target.value, equals: 0)
        source.value = 2
        expect(target.value, equals: 2)
        source -/-> target
        source.value = 3
        expect(target.value, equals: 2)
    }

    @Test func `an object that observes a computed field is handed that`() {
        let field = Field<Int>(value: 1)
        let twice = Computed { field.value.map { $0 * 2 } }
        let watcher = Identifier(twice)
        expect((watcher <-- twice) === twice)
        twice.addObserver(watcher, when: .changes)
        field.value = 2
        expect(watcher.log.entries, equals: ["2 true", "4 true", "4 true"])
        twice -/-> watcher
        expect(twice.observerCount, equals: 0)
    }

    @Test func `the closure of a handed owner ends with it`() {
        let field = Field<Int>(value: 1)
        let log = Log<String>()
        do {
            let owner = Owner()
            field.observe(owner) { _, _ in log.add("owner") }
            field.observe(owner) { _, old, new in log.add("\(old ?? 0) \(new ?? 0)") }
            field --> owner { log.add("plain") }
            field --> owner { old, new in log.add("\(old ?? 0) \(new ?? 0)") }
        }
        log.clear()
        field.value = 2
        expect(log.entries, equals: [])
        expect(field.observerCount, equals: 0)
    }

    @Test func `forms are distinguished by what their closures take`() {
        let field = Field<Int>(value: 1)
        let owner = Owner()
        let log = Log<String>()
        field --> { log.add("\($0 as Any)") }
        field --> { log.add("\($0 as Any) \($1 as Any)") }
        field --> { log.add("plain") }
        field --> { _ in log.add("one") }
        field --> { _, _ in log.add("two") }
        field --> owner { _ in log.add("owner's one") }
        field --> owner { _, _ in log.add("owner's two") }
        field.observe(owner) { _, _ in log.add("handed two") }
        field.observe { _ in log.add("observed one") }
        field.observe { _, _ in log.add("observed two") }
        field --> {}
        field --> owner {}
        field.observe {}
        field --> { print($0 as Any) }
        field --> note
        expect(
            log.entries,
            equals: [
                "Optional(1)", "nil Optional(1)", "plain", "one", "two", "owner's one",
                "owner's two", "handed two", "observed one", "observed two",
            ]
        )
    }

    @Test func `a field of unknown type calls closures that take nothing`() {
        let fields: [AnyField] = [Field<Int>(value: 1), Field<String>()*]
        let counter = Counter()
        for field in fields { field.observe { counter.increment() } }
        let changes = Counter()
        let token = fields[0].observe(when: .changes) { changes.increment() }
        expect(counter.value, equals: 2)
        #expect(throws: Never.self) { try fields[0].setAnyValue(1) }
        expect([counter.value, changes.value], equals: [3, 0])
        #expect(throws: Never.self) { try fields[0].setAnyValue(2) }
        expect([counter.value, changes.value], equals: [4, 1])
        token.cancel()
        fields[0].touch()
        expect([counter.value, changes.value], equals: [5, 1])
    }
}

@Sendable private func note(_ value: Int?) {}

/// Remembers whether it is handed what it observes.
private final class Identifier: ValueObserver {
    let log = Log<String>()
    private let expected: ObjectIdentifier

    init(_ expected: AnyObject) { self.expected = ObjectIdentifier(expected) }

    func valueChanged(_ observable: any ValueObservable<Int>, value: Int?) {
        log.add("\(value ?? 0) \(ObjectIdentifier(observable) == expected)")
    }
}

extension ObservingFormsTests {
    /// What a closure takes.
    enum Shape: CaseIterable, Sendable {
        case value, change, plain

        func text(_ old: Int?, _ new: Int?) -> String {
            switch self {
            case .value: "\(new ?? 0)"
            case .change: "\(old ?? 0) \(new ?? 0)"
            case .plain: "plain"
            }
        }
    }

    /// How a closure is added.
    enum Form: CaseIterable, Sendable {
        case observe, right, rightOwned, handed
    }

    /// What is observed.
    enum Source: CaseIterable, Sendable {
        case field, computed, backed, main, queue, computedMain, computedQueue

        private static let place = DispatchQueue(label: "forms")

        /// - Returns: What has to live for it.
        func add(
            _ form: Form,
            _ shape: Shape,
            to field: Field<Int>,
            _ owner: Owner,
            _ note: @escaping @Sendable (String) -> Void
        ) -> AnyObject {
            let computed = Computed { field.value }
            switch self {
            case .field: attach(form, shape, to: field, owner, note)
            case .computed: attach(form, shape, to: computed, owner, note)
            case .backed: attach(form, shape, to: Backed(field), owner, note)
            case .main: attach(form, shape, onMain: field.onMain, owner, note)
            case .queue: attach(form, shape, to: field.on(Self.place), owner, note)
            case .computedMain: attach(form, shape, onMain: computed.onMain, owner, note)
            case .computedQueue: attach(form, shape, to: computed.on(Self.place), owner, note)
            }
            return computed
        }

        func drain() async {
            for queue in [.main, Self.place] {
                for _ in 0..<3 {
                    await withCheckedContinuation { done in queue.async { done.resume() } }
                }
            }
        }

        private func attach(
            _ form: Form,
            _ shape: Shape,
            to source: some ObservationSource<Int>,
            _ owner: Owner,
            _ note: @escaping @Sendable (String) -> Void
        ) {
            let value: @Sendable (Int?) -> Void = { note(shape.text(nil, $0)) }
            let change: @Sendable (Int?, Int?) -> Void = { note(shape.text($0, $1)) }
            let plain: @Sendable () -> Void = { note("plain") }
            switch (form, shape) {
            case (.observe, .value): source.observe(value)
            case (.observe, .change): source.observe(change)
            case (.observe, .plain): source.observe(plain)
            case (.right, .value): source --> value
            case (.right, .change): source --> change
            case (.right, .plain): source --> plain
            case (.rightOwned, .value): source --> owner(value)
            case (.rightOwned, .change): source --> owner(change)
            case (.rightOwned, .plain): source --> owner(plain)
            case (.handed, .value): source.observe(owner) { _, new in value(new) }
            case (.handed, .change): source.observe(owner) { change($1, $2) }
            case (.handed, .plain): source.observe(owner) { _, _ in plain() }
            }
        }

        private func attach(
            _ form: Form,
            _ shape: Shape,
            onMain source: OnMain<Int>,
            _ owner: Owner,
            _ note: @escaping @Sendable (String) -> Void
        ) {
            let value: @MainActor @Sendable (Int?) -> Void = {
                MainActor.assertIsolated()
                note(shape.text(nil, $0))
            }
            let change: @MainActor @Sendable (Int?, Int?) -> Void = { note(shape.text($0, $1)) }
            let plain: @MainActor @Sendable () -> Void = { note("plain") }
            switch (form, shape) {
            case (.observe, .value): source.observe(value)
            case (.observe, .change): source.observe(change)
            case (.observe, .plain): source.observe(plain)
            case (.right, .value): source --> value
            case (.right, .change): source --> change
            case (.right, .plain): source --> plain
            case (.rightOwned, .value): source --> owner(value)
            case (.rightOwned, .change): source --> owner(change)
            case (.rightOwned, .plain): source --> owner(plain)
            case (.handed, .value): source.observe(owner) { _, new in value(new) }
            case (.handed, .change): source.observe(owner) { _, old, new in change(old, new) }
            case (.handed, .plain): source.observe(owner) { _, _ in plain() }
            }
        }
    }
}

/// An object that is backed by a field it was given.
final class Backed: FieldBacked {
    let field: Field<Int>
    init(_ field: Field<Int> = Field<Int>()) { self.field = field }
}
