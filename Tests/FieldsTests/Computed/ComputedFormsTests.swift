import Dispatch
import ModelKitFields
import TestSupport
import Testing

/// What a computed field can do as a field can.
@Suite struct ComputedFormsTests {
    private let number = Field<Int>(value: 1)

    @Test func `a field of another type is bound by a closure`() {
        let twice = Computed { [number] in number.value.map { $0 * 2 } }
        let text = Field<String>()
        let log = Log<String?>()
        expect(twice.bind(to: text) { $0.map { "\($0)" } } === text)
        text --> { log.add($0) }
        number.value = 2
        expect(text.value, equals: "4")
        number.value = 2
        number.value = nil
        expect(log.entries, equals: ["2", "4", nil])
        twice -/-> text
        number.value = 3
        expect(text.value, equals: nil)
        expect(twice.observerCount, equals: 0)
    }

    @Test func `a later binding takes the place of one by a closure`() {
        let twice = Computed { [number] in number.value.map { $0 * 2 } }
        let target = Field<Int>()
        twice.bind(to: target) { $0.map { -$0 } }
        expect(target.value, equals: -2)
        twice.bind(to: target)
        expect(target.value, equals: 2)
        number.value = 2
        expect(target.value, equals: 4)
        expect(twice.observerCount, equals: 1)
    }

    @Test func `the bound field keeps the computed one alive, and both are freed`() {
        weak var weakly: Computed<Int>?
        do {
            let text = Field<String>()
            do {
                let twice = Computed { [number] in number.value.map { $0 * 2 } }
                weakly = twice
                twice.bind(to: text) { "\($0 ?? 0)" }
            }
            number.value = 2
            expect(text.value, equals: "4")
        }
        expect(weakly == nil)
        expect(number.observerCount, equals: 0)
    }

    @Test func `every field behind a closure has its value when the set returns`() {
        let twice = Computed { [number] in number.value.map { $0 * 2 } }
        let (text, next) = (Field<String>(), Field<String>())
        let log = Log<[String?]>()
        twice.bind(to: text) { "\($0 ?? 0)" } --> next
        let length = Computed { next.value?.count }
        text.observe(when: .changes) { log.add([text.value, next.value]) }
        batch {
            number.value = 5
            number.value = 50
        }
        expect(log.entries, equals: [["100", "100"]])
        expect(length.value, equals: 3)
    }

    @Test func `a computation that fails gives nil to the closure`() {
        struct Stop: Error {}
        let failing = Computed { [number] () -> Int? in
            if number.value == 2 { throw Stop() }
            return number.value
        }
        let text = Field<String>()
        failing.bind(to: text) { $0.map { "\($0)" } ?? "none" }
        expect(text.value, equals: "1")
        number.value = 2
        expect(text.value, equals: "none")
        number.value = 3
        expect(text.value, equals: "3")
    }

    @Test func `one that has ended binds its last value`() {
        let twice = Computed { [number] in number.value.map { $0 * 2 } }
        expect(twice.value, equals: 2)
        twice.dispose()
        number.value = 2
        let text = Field<String>()
        twice.bind(to: text) { "\($0 ?? 0)" }
        expect(text.value, equals: "2")
    }

    @Test func `the edits of a computed array are reported`() {
        let tags = Field<String>()*
        tags.value = ["a", "b"]
        let long = Computed { tags.value?.filter { $0 != "b" } }
        let mirror = Mirror<String>()
        let owner = Owner()
        let count = Counter()
        let token = long.observeEdits { mirror.follow($0) }
        long.observeEdits(owner) { _, change in for _ in change.edits { count.increment() } }
        expect(mirror.elements, equals: ["a"])
        tags.append("c")
        tags.append("b")
        tags.remove(at: 0)
        expect(mirror.elements, equals: ["c"])
        expect(mirror.faults, equals: [])
        expect(count.value, equals: 3, "a reset, an insertion and a removal")
        long -/-> token
        tags.append("d")
        expect(mirror.elements, equals: ["c"])
        expect(count.value, equals: 4)
    }

    @Test func `a subscription follows a computed field and finishes with it`() {
        let log = Log<String>()
        do {
            let twice = Computed { [number] in number.value.map { $0 * 2 } }
            let subscription = FieldSubscription(
                to: twice,
                receive: { value in
                    log.add("\(value ?? 0)")
                    return 0
                },
                finish: { log.add("end") }
            )
            subscription.request(.max)
            subscription.start()
            number.value = 2
            number.value = 2
            number.value = 3
            withExtendedLifetime(twice) {}
        }
        number.value = 4
        expect(log.entries, equals: ["2", "4", "6", "end"])
    }

    @Test(arguments: [false, true])
    func `a binding that is ended on a queue lets go of the computed field`(isMain: Bool) {
        let number = Field<Int>(value: 1)
        let target = Field<Int>()
        weak var known: Computed<Int>?
        do {
            let twice = Computed { (number.value ?? 0) * 2 }
            known = twice
            twice --> target
            if isMain {
                twice.onMain.removeObserver(target)
            } else {
                twice.on(.global()).removeObserver(target)
            }
        }
        number.value = 2
        expect(target.value, equals: 2)
        expect(known == nil)
    }

    @Test func `generic code observes without saying when`() {
        func log(_ source: some ObservationSource<Int>, _ entries: Log<[Int?]>) {
            source.observe { value in entries.add([value]) }
            source.observe { old, new in entries.add([old, new]) }
            source.observe { entries.add([]) }
        }
        let number = Field<Int>(value: 1)
        let entries = Log<[Int?]>()
        log(number, entries)
        number.value = 2
        expect(entries.entries, equals: [[1], [nil, 1], [], [2], [1, 2], []])
    }
}
