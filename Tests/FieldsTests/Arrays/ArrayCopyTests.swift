import ModelKitFields
import TestSupport
import Testing

/// How often the elements of an array are copied as others are added.
///
/// A copy has its elements elsewhere, since the array that it is made of is still there.
@Suite struct ArrayCopyTests {
    enum Observers: CaseIterable {
        case none, value, plain, owner, changes, cancelled
    }

    /// How often the elements of a field were found elsewhere than before.
    private func countCopies(_ field: ArrayField<Int>, _ edit: (Int) -> Void) -> Int {
        var (copies, last) = (0, UInt(0))
        for number in 0..<4000 {
            edit(number)
            let place = field.value?.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            if place != last { copies += 1 }
            last = place ?? 0
        }
        return copies
    }

    @Test(arguments: Observers.allCases)
    func `where nobody is given the old array, appends copy it as it grows only`(
        observers: Observers
    ) {
        let field = numbers()
        let (calls, owner) = (Counter(), Owner())
        switch observers {
        case .none: break
        case .value: field.observe { (value: [Int]?) in calls.increment() }
        case .plain: field.observe { calls.increment() }
        case .owner: field.observe(owner) { _, value in calls.increment() }
        case .changes: field.observe(when: .changes) { (value: [Int]?) in calls.increment() }
        case .cancelled:
            field.observe { (old: [Int]?, new: [Int]?) in calls.increment() }.cancel()
            calls.increment()
            field.observe { calls.increment() }
        }
        let before = calls.value
        expect(countCopies(field) { field.append($0) } < 30)
        expect(field.value, equals: Array(0..<4000))
        expect(calls.value - before, equals: (observers == .none ? 0 : 4000))
        withExtendedLifetime(owner) {}
    }

    @Test func `in a batch it is copied once more`() {
        let field = numbers(-1)
        let changes = Log<[Int]>()
        field.observe { old, new in changes.add([old?.count ?? 0, new?.count ?? 0]) }
        let copies = batch { countCopies(field) { field.append($0) } }
        expect(copies < 30)
        expect(changes.entries, equals: [[0, 1], [1, 4001]])
    }

    @Test func `who is given the old array has it, one copy for each edit`() {
        let field = numbers()
        let log = Log<[Int]>()
        field.observe { (value: [Int]?) in }
        field.observe { old, new in log.add([old?.count ?? -1, new?.count ?? -1]) }
        expect(countCopies(field) { field.append($0) }, equals: 4000)
        expect(log.entries.dropFirst().enumerated().allSatisfy { $1 == [$0, $0 + 1] })
    }

    @Test func `an observer's own appends reach those that take the old array with it`() {
        let field = numbers()
        let log = Log<[Int]>()
        let other = Field<Int>()
        other.observe(when: .changes) { (value: Int?) in
            for number in 0..<1500 { field.append(number) }
            field.observe(when: .changes) { old, new in
                log.add([old?.count ?? -1, new?.count ?? -1])
            }
        }
        field.observe { (value: [Int]?) in }
        ModelKitDiagnostics.withHandler({ _ in }) { other.value = 1 }
        field.append(-1)
        expect(log.entries, equals: [[1500, 1501]])
    }
}
