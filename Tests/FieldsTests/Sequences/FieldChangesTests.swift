import ModelKitFields
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FieldChangesTests {
    @Test func `only real changes come, none for the current value`() async {
        let field = Field<Int>(value: 1)
        var changes = field.changes.makeAsyncIterator()
        field.value = 1
        field.value = 2
        field.value = 2
        field.value = nil
        field.value = nil
        field.value = 3
        await expect(changes.next(), equals: FieldChange(old: 1, new: 2))
        await expect(changes.next(), equals: FieldChange(old: 2, new: nil))
        await expect(changes.next(), equals: FieldChange(old: nil, new: 3))
    }

    @Test func `NaN after NaN is no change`() async {
        let field = Field<Double>(value: .nan)
        var changes = field.changes.makeAsyncIterator()
        field.value = .nan
        field.value = 1
        let change = await changes.next()
        expect(change?.old?.isNaN, equals: true)
        expect(change?.new, equals: 1)
    }

    @Test func `a slow consumer gets all, each old value being the new one before`() async {
        let field = Field<Int>(value: 0)
        var changes = field.changes.makeAsyncIterator()
        await withTaskGroup { group in
            for writer in 0..<2 {
                group.addTask {
                    for value in 0..<500 { field.value = value * 2 + writer + 1 }
                }
            }
        }
        await field.settled()
        let last = field.value
        var before: Int? = 0
        var count = 0
        while before != last || count < 1000, let change = await changes.next() {
            expect(change.old, equals: before)
            expect(change.old != change.new)
            before = change.new
            count += 1
        }
        expect(count, equals: 1000)
    }

    @Test func `newest only, what waits is joined, and left out where it leads back`() async {
        let field = Field<Int>(value: 1)
        var changes = field.changes(buffering: .newest).makeAsyncIterator()
        field.value = 2
        field.value = 3
        field.value = 4
        await expect(changes.next(), equals: FieldChange(old: 1, new: 4))
        field.value = 5
        field.value = 4
        let setter = Task { field.value = 6 }
        await setter.value
        field.value = 7
        await expect(changes.next(), equals: FieldChange(old: 4, new: 7))
        field.value = 8
        field.value = 7
        let waiting = Task { await Self.next(of: field.changes(buffering: .newest)) }
        while field.observerCount < 2 { await Task.yield() }
        field.value = 9
        await expect(waiting.value, equals: FieldChange(old: 7, new: 9))
        await expect(changes.next(), equals: FieldChange(old: 7, new: 9))
    }

    @Test func `it waits on where joined changes lead back to the start`() async {
        let field = Field<Int>(value: 1)
        var changes = field.changes(buffering: .newest).makeAsyncIterator()
        field.value = 2
        field.value = 1
        let setter = Task {
            for _ in 0..<100 { await Task.yield() }
            field.value = 3
        }
        await expect(changes.next(), equals: FieldChange(old: 1, new: 3))
        await setter.value
    }

    @Test func `a batch is one change`() async {
        let field = Field<Int>(value: 1)
        var changes = field.changes.makeAsyncIterator()
        batch {
            field.value = 2
            field.value = 3
        }
        batch {
            field.value = 4
            field.value = 3
        }
        field.value = 5
        await expect(changes.next(), equals: FieldChange(old: 1, new: 3))
        await expect(changes.next(), equals: FieldChange(old: 3, new: 5))
    }

    @Test func `after the loop the field has no observer and is freed`() async {
        weak var weakField: Field<Int>?
        do {
            let field = Field<Int>(value: 1)
            weakField = field
            let setter = Task {
                while field.observerCount == 0 { await Task.yield() }
                field.value = 2
            }
            for await change in field.changes {
                expect(change, equals: FieldChange(old: 1, new: 2))
                break
            }
            await setter.value
            expect(field.observerCount, equals: 0)
        }
        for _ in 0..<1000 where weakField != nil { await Task.yield() }
        expect(weakField == nil)
    }

    @Test func `it ends with the field, after what waits`() async {
        var field: Field<Int>? = Field<Int>(value: 1)
        var changes = field?.changes.makeAsyncIterator()
        field?.value = 2
        field?.value = 3
        field = nil
        await expect(changes?.next(), equals: FieldChange(old: 1, new: 2))
        await expect(changes?.next(), equals: FieldChange(old: 2, new: 3))
        await expect(changes?.next(), equals: nil)
    }

    @Test func `a cancelled task stops observing`() async {
        let field = Field<Int>(value: 1)
        let task = Task { await Self.next(of: field.changes) }
        while field.observerCount == 0 { await Task.yield() }
        task.cancel()
        await expect(task.value, equals: nil)
        expect(field.observerCount, equals: 0)
    }

    private static func next(of sequence: FieldChanges<Int>) async -> FieldChange<Int>? {
        var changes = sequence.makeAsyncIterator()
        return await changes.next()
    }
}
