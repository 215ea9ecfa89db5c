import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct MergeTests {
    @Test func `the later set wins and keeps its times`() {
        let mine = Field<Int>(value: 0)
        let other = Field<Int>(value: 0)
        mine.value = 1
        other.value = 2
        let log = Log<[Int?]>()
        mine.observe(when: .changes) { old, new in log.add([old, new]) }
        expect(mine.merge(from: other))
        expect(mine.value, equals: 2)
        expect(mine.updatedAt, equals: other.updatedAt)
        expect(mine.changedAt, equals: other.changedAt)
        expect(log.entries, equals: [[1, 2]])
        expect(!mine.merge(from: other), "on a tie the receiver stays")
        expect(!other.merge(from: mine))
        mine.value = 3
        expect(!mine.merge(from: other))
        expect(mine.value, equals: 3)
    }

    @Test func `the field that was set later is newer, whatever the types`() {
        let number = Field<Int>(value: 1)
        let text = Field<String>(value: "a")
        let unset = Field<Int>(value: 1)
        expect(!number.isNewer(than: text), "defaults were never set")
        expect(!text.isNewer(than: number))
        number.value = 1
        expect(number.isNewer(than: text))
        expect(number.isNewer(than: unset))
        expect(!unset.isNewer(than: number))
        expect(!number.isNewer(than: number))
        text.value = "b"
        expect(text.isNewer(than: number))
        expect(!number.isNewer(than: text))
        unset.merge(from: number)
        expect(!unset.isNewer(than: number), "a merge keeps the time")
    }

    @Test func `a third source that is newer is not refused for the time of the merge`() {
        let mine = Field<Int>(), old = Field<Int>(), new = Field<Int>()
        old.value = 1
        new.value = 2
        expect(mine.merge(from: old))
        expect(mine.merge(from: new))
        expect(mine.value, equals: 2)
    }

    @Test func `a default value is not set, and so older than any`() {
        let mine = Field<Int>(value: 1)
        let other = Field<Int>(value: 2)
        expect(!mine.merge(from: other))
        other.value = 3
        expect(mine.merge(from: other))
        expect(mine.value, equals: 3)
        expect(mine.loadState, equals: .loaded)
        expect(!other.merge(from: Field<Int>(value: 9)))
        let tags = Field<String>()*
        let loaded = Field<String>()*
        loaded.value = ["a"]
        expect(tags.merge(from: loaded))
        expect(tags.value, equals: ["a"])
    }

    @Test func `only what is loaded is taken`() {
        let mine = Field<Int>()
        let other = Field<Int>()
        other.value = 1
        other.loadState = .incomplete
        expect(!mine.merge(from: other))
        other.loadState = .loaded
        expect(mine.merge(from: other))
        let empty = Field<Int>()
        empty.value = nil
        expect(mine.merge(from: empty), "a nil that is known is a value")
        expect(mine.value, equals: nil)
        expect(mine.changedAt, equals: empty.updatedAt)
    }

    @Test func `it goes through the domain and along bindings`() {
        let mine = Field<Int>().constrain(to: 0...10)
        let bound = Field<Int>()
        mine --> bound
        let other = Field<Int>()
        other.value = 50
        expect(mine.merge(from: other))
        expect(mine.value, equals: 10)
        expect(bound.value, equals: 10)
        expect(bound.updatedAt, equals: other.updatedAt)
    }

    @Test func `a field of another type is an issue`() throws {
        let mine = Field<Int>(value: 1)
        let other = Field<String>()
        other.value = "2"
        #expect(
            throws: Issue(
                code: "type",
                message: "must be Int, not String",
                parameters: ["found": "String"]
            )
        ) { try mine.merge(from: other) }
        expect(mine.value, equals: 1)
        let same = Field<Int>()
        same.value = 5
        let erased: AnyField = mine
        try expect(erased.merge(from: same))
        expect(mine.value, equals: 5)
    }
}
