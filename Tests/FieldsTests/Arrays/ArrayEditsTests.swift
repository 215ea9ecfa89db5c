import Dispatch
import ModelKitFields
import TestSupport
import Testing

@Suite struct ArrayEditsTests {
    @Test func `the first call is a reset, then each edit is reported as it was made`() {
        let field = numbers(1, 2)
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        field.append(3)
        field.insert(0, at: 0)
        field.remove(at: 1)
        field.removeFirst(3)
        field.replace(at: 1, with: 5)
        field.append(contentsOf: [7, 8])
        field.move(from: 0, to: 3)
        field.sort(by: >)
        field.removeAll()
        expect(
            log.entries,
            equals: [
                [.reset([1, 2])],
                [.insert(3, at: 2)],
                [.insert(0, at: 0)],
                [.remove(1, at: 1)],
                [.remove(3, at: 2)],
                [.replace(2, with: 5, at: 1)],
                [.insert(7, at: 2), .insert(8, at: 3)],
                [.move(0, from: 0, to: 3)],
                [.move(8, from: 2, to: 0), .move(7, from: 2, to: 1)],
                [.reset([])],
            ]
        )
    }

    @Test func `each change has the arrays, the old one being the new one of the change before`() {
        let field = numbers(1)
        let log = Log<ArrayChange<Int>>()
        field.observeEdits { log.add($0) }
        field.append(2)
        field.value = nil
        field.append(3)
        expect(log.entries.map(\.old), equals: [[], [1], [1, 2], []])
        expect(log.entries.map(\.new), equals: [[1], [1, 2], [], [3]])
    }

    @Test func `a set of a whole array is reported as the edits between the arrays`() {
        let field = numbers(1, 2, 3, 4)
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        field.value = [0, 1, 3, 5]
        field.value = [0, 1, 3, 5]
        field.value = nil
        field.value = []
        expect(
            log.entries.dropFirst(),
            equals: [
                [.insert(0, at: 0), .remove(2, at: 2), .replace(4, with: 5, at: 3)],
                [.remove(0, at: 0), .remove(1, at: 0), .remove(3, at: 0), .remove(5, at: 0)],
            ]
        )
    }

    @Test func `an array that is another altogether is a reset`() {
        let field = ArrayField(Field<Int>(), value: Array(0..<1000))
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        field.value = Array(5000..<6000)
        expect(log.entries.last, equals: [.reset(Array(5000..<6000))])
    }

    @Test func `a value that comes along a binding is reported as edits`() {
        let source = numbers(1)
        let target = numbers()
        source --> target
        let log = Log<[ArrayEdit<Int>]>()
        target.observeEdits { log.add($0.edits) }
        source.append(2)
        expect(log.entries, equals: [[.reset([1])], [.insert(2, at: 1)]])
    }

    @Test func `a plain field of an array has edits, too`() {
        let field = Field<[Int]>(value: [1])
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        field.value = [1, 2]
        expect(log.entries, equals: [[.reset([1])], [.insert(2, at: 1)]])
    }

    @Test func `the edits of a batch are reported together`() {
        let field = numbers(1)
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        batch {
            field.append(2)
            field.append(3)
            field.remove(at: 0)
        }
        expect(log.entries.last, equals: [.insert(2, at: 1), .insert(3, at: 2), .remove(1, at: 0)])
        batch {
            field.append(4)
            field.value = [2, 3, 5]
        }
        expect(log.entries.last, equals: [.insert(5, at: 2)])
        batch {
            field.append(6)
            field.remove(at: 3)
        }
        expect(log.count, equals: 3)
    }

    @Test func `a batch of very many edits is a reset`() {
        let field = numbers()
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        batch {
            for number in 0..<600 {
                field.append(number)
                field.remove(at: 0)
            }
            field.append(7)
        }
        expect(log.entries, equals: [[.reset([])], [.reset([7])]])
    }

    @Test func `changes that were merged are reported as a reset`() {
        let field = numbers(-1)
        let log = Log<ArrayChange<Int>>()
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        field.observeEdits { change in
            log.add(change)
            if log.count == 2 {
                entered.signal()
                leave.wait()
            }
        }
        let end = startWork { field.append(0) }
        entered.wait()
        ModelKitDiagnostics.withHandler({ _ in }) {
            for number in 1...1025 { field.append(number) }
        }
        leave.signal()
        expect(end())
        expect(log.count, equals: 3)
        expect(log.entries.last?.old, equals: [-1, 0])
        expect(log.entries.last?.edits, equals: [.reset(Array(-1...1025))])
    }

    @Test func `one added in a batch gets the rest of it from where it began`() {
        let field = numbers(1)
        let mirror = Mirror<Int>()
        batch {
            field.append(2)
            field.observeEdits { mirror.follow($0) }
            field.append(3)
        }
        expect(mirror.elements, equals: [1, 2, 3])
        expect(mirror.faults.isEmpty)
    }

    @Test func `an owner is handed in and held weakly`() {
        final class List: Sendable {
            let log = Log<[ArrayEdit<Int>]>()
        }
        let field = numbers(1)
        var list: List? = List()
        let log = list?.log
        if let list { field.observeEdits(list) { list, change in list.log.add(change.edits) } }
        field.append(2)
        list = nil
        field.append(3)
        expect(log?.entries, equals: [[.reset([1])], [.insert(2, at: 1)]])
        expect(field.observerCount, equals: 0)
    }

    @Test func `arrays are compared once for all observers of a change`() {
        let comparisons = Counter()
        let field = ArrayField(Field<Counted>())
        field.value = (0..<100).map { Counted($0, comparisons) }
        let next = (1..<101).map { Counted($0, comparisons) }
        let alone = comparisons.value
        field.value = next
        let unobserved = comparisons.value - alone
        for _ in 0..<10 { field.observeEdits { _ in } }
        let before = comparisons.value
        field.value = (2..<102).map { Counted($0, comparisons) }
        expect(comparisons.value - before < 400)
        expect(unobserved <= 2)
    }

    @Test func `an edit is not compared, also if edits are observed`() {
        let comparisons = Counter()
        let field = ArrayField(Field<Counted>())
        field.observeEdits { _ in }
        for number in 0..<100 { field.append(Counted(number, comparisons)) }
        field.insert(Counted(-1, comparisons), at: 0)
        field.remove(at: 50)
        expect(comparisons.value, equals: 0)
    }

    @MainActor
    @Test func `on the main thread edits are delivered in place`() {
        let field = numbers(1)
        let log = Log<[ArrayEdit<Int>]>()
        field.onMain.observeEdits { change in
            MainActor.assertIsolated()
            log.add(change.edits)
        }
        field.append(2)
        expect(log.entries, equals: [[.reset([1])], [.insert(2, at: 1)]])
    }

    @MainActor
    @Test func `edits that wait for the main thread are delivered together`() async {
        let field = numbers(1)
        let log = Log<ArrayChange<Int>>()
        let observation = field.onMain.observeEdits { log.add($0) }
        startThread {
            field.append(2)
            field.value = [0, 1, 2]
            field.remove(at: 1)
        }()
        expect(log.count, equals: 1)
        field.append(3)
        while log.count < 2 { await Task.yield() }
        expect(log.count, equals: 2)
        expect(log.entries.last?.old, equals: [1])
        expect(
            log.entries.last?.edits,
            equals: [
                .insert(2, at: 1), .insert(0, at: 0), .remove(1, at: 1), .insert(3, at: 2),
            ]
        )
        observation.cancel()
        field.append(4)
        expect(log.count, equals: 2)
    }

    @MainActor
    @Test func `an owner is handed in on the main thread`() async {
        let screen = Screen()
        let field = numbers(1)
        field.onMain.observeEdits(screen) { screen, change in screen.rows = change.new }
        field.append(2)
        expect(screen.rows, equals: [1, 2])
    }

    @Test func `edits that wait for a queue are delivered together, none is left out`() async {
        let queue = DispatchQueue(label: "observers")
        let owner = Owner()
        let field = numbers(1)
        let log = Log<[ArrayEdit<Int>]>()
        let owned = Log<[Int]>()
        field.on(queue).observeEdits { log.add($0.edits) }
        field.on(queue).observeEdits(owner) { _, change in owned.add(change.new) }
        await withCheckedContinuation { done in queue.async { done.resume() } }
        queue.suspend()
        field.append(2)
        field.append(3)
        field.remove(at: 0)
        queue.resume()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        expect(
            log.entries,
            equals: [[.reset([1])], [.insert(2, at: 1), .insert(3, at: 2), .remove(1, at: 0)]]
        )
        expect(owned.entries, equals: [[1], [2, 3]])
    }

    @Test func `an array that does not fit a change is reported and left as it was`() {
        let field = numbers(1, 2, 3)
        let log = Log<ArrayChange<Int>>()
        field.observeEdits { log.add($0) }
        batch {
            field.append(4)
            field.remove(at: 2)
        }
        guard let change = log.entries.last else { return }
        var short = [1, 2]
        #expect(throws: ArrayEditError.indexOutside(3, limit: 3)) { try change.apply(to: &short) }
        expect(short, equals: [1, 2])
        var other = [1, 2, 9]
        let fault = #expect(throws: ArrayEditError.differentElement(at: 2)) {
            try change.apply(to: &other)
        }
        expect(other, equals: [1, 2, 9])
        expect(
            fault?.description,
            equals: "the array does not fit the edit: another element is at index 2"
        )
        var fitting = [1, 2, 3]
        #expect(throws: Never.self) { try change.apply(to: &fitting) }
        expect(fitting, equals: [1, 2, 4])
    }

    @Test(arguments: [
        ArrayEdit.insert(9, at: 4), .insert(9, at: -1), .remove(1, at: 3), .remove(1, at: -1),
        .replace(1, with: 2, at: 3), .move(1, from: 0, to: 3), .move(1, from: -1, to: 0),
        .move(1, from: 0, to: -1), .remove(2, at: 0),
    ])
    func `an edit with a wrong index throws and does not trap`(edit: ArrayEdit<Int>) {
        var array = [1, 2, 3]
        #expect(throws: ArrayEditError.self) { try edit.apply(to: &array) }
        expect(array, equals: [1, 2, 3])
    }
}

@MainActor
private final class Screen {
    var rows: [Int] = []
}

func numbers(_ values: Int...) -> ArrayField<Int> {
    ArrayField(Field<Int>(), value: values)
}
