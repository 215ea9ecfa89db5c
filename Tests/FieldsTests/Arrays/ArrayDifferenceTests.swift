import ModelKitFields
import TestSupport
import Testing

/// The edits of a change, as the difference of the standard library.
@Suite struct ArrayDifferenceTests {
    private func difference(
        of old: [String],
        _ body: (ArrayField<String>) -> Void
    ) -> CollectionDifference<String>? {
        let field = ArrayField(Field<String>(), value: old)
        let log = Log<ArrayChange<String>>()
        field.observeEdits { log.add($0) }
        body(field)
        return log.entries.last?.difference
    }

    @Test func `an insertion has the index of the new array, a removal that of the old`() {
        let found = difference(of: ["a", "b", "c"]) { field in
            batch {
                field.remove(at: 0)
                field.append("d")
            }
        }
        expect(
            found.map(Array.init),
            equals: [
                .remove(offset: 0, element: "a", associatedWith: nil),
                .insert(offset: 2, element: "d", associatedWith: nil),
            ]
        )
    }

    @Test func `what is moved is removed and inserted, each with the index of the other`() {
        let found = difference(of: ["a", "b", "c"]) { $0.move(from: 0, to: 2) }
        expect(
            found.map(Array.init),
            equals: [
                .remove(offset: 0, element: "a", associatedWith: 2),
                .insert(offset: 2, element: "a", associatedWith: 0),
            ]
        )
    }

    @Test func `what is replaced is removed and inserted`() {
        let found = difference(of: ["a", "b"]) { $0.replace(at: 1, with: "c") }
        expect(
            found.map(Array.init),
            equals: [
                .remove(offset: 1, element: "b", associatedWith: nil),
                .insert(offset: 1, element: "c", associatedWith: nil),
            ]
        )
    }

    @Test func `what was inserted and moved away again is one insertion`() {
        let found = difference(of: ["a", "b"]) { field in
            batch {
                field.insert("c", at: 0)
                field.move(from: 0, to: 2)
                field.insert("d", at: 0)
                field.remove(at: 0)
            }
        }
        expect(
            found.map(Array.init),
            equals: [.insert(offset: 2, element: "c", associatedWith: nil)]
        )
    }

    @Test func `a reset removes all and inserts all`() {
        let found = difference(of: ["a", "b"]) { $0.touch() }
        expect(found?.removals.count, equals: 2)
        expect(found?.insertions.count, equals: 2)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `it leads from the old array to the new one`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let field = ArrayField(Field<Int>(), value: Array(0..<5))
        let faults = Log<String>()
        field.observeEdits { change in
            if change.old.applying(change.difference) != change.new {
                faults.add("\(change)")
            }
        }
        for _ in 0..<30 {
            batch {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let (first, second) = (Int.random(in: 0...6, using: &random), field.count)
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: field.insert(first, at: min(first, second))
                    case 1: field.remove(at: first)
                    case 2: field.replace(at: first, with: second)
                    case 3:
                        field.move(from: first, to: Int.random(in: 0...6, using: &random))
                    default: field.append(first)
                    }
                }
            }
        }
        expect(faults.entries, equals: [])
    }
}
