import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// Drafts of models and their members, whose keys lead back.
@Suite struct MemberDraftTests {
    final class Order: Model {
        let id = Field<String>()
        // A foreign key on this side means nothing.
        let lines = ModelField<Line>(inverse: \.order, foreignKey: true).requireValid()*
        let receipt = ModelField<Receipt>(inverse: \.order)
        let total: Computed<Int>

        init() {
            total = Computed { [lines] in lines.value?.reduce(0) { $0 + ($1.count.value ?? 0) } }
            linkFields()
        }
    }

    final class Line: Model {
        let id = Field<String>()
        let count = Field<Int>(value: 1).require(.min(1))
        let order = ModelField<Order>(foreignKey: true)
        let tags = ModelField<Tag>(foreignKey: true)*

        init() { linkFields() }

        convenience init(_ count: Int) {
            self.init()
            self.count.value = count
        }
    }

    final class Receipt: Model {
        let text = Field<String>()
        let order = ModelField<Order>(foreignKey: true)

        init() { linkFields() }
    }

    final class Tag: Model {
        let lines = ModelField<Line>(inverse: \.tags)*

        init() { linkFields() }
    }

    final class Folder: Model {
        let name = Field<String>()
        let parent = ModelField<Folder>(foreignKey: true)
        let folders = ModelField<Folder>(inverse: \.parent)*

        init() { linkFields() }

        convenience init(_ name: String, _ folders: Folder...) {
            self.init()
            self.name.value = name
            self.folders.value = folders
        }

        var text: String {
            let inner = (folders.value ?? []).map(\.text).joined(separator: " ")
            return (name.value ?? "") + (inner.isEmpty ? "" : "(\(inner))")
        }
    }

    private let order = Order()
    private let lines = [Line(1), Line(2)]

    init() { order.lines.value = lines }

    @Test func `a draft of a member shares its key, and joins nothing`() throws {
        let events = Collector<Int?>()
        order.total.observe(when: .changes) { events.add($0) }
        let draft = lines[0].draft()
        expect(draft.order.value === order, "the key stays shared")
        draft.count.value = 5
        draft.order.value = order
        expect(draft.changes, equals: [["count"]])
        expect(order.lines.value == lines && order.total.value == 3)
        let other = Order()
        draft.order.value = other
        expect(other.lines.value == [] && order.lines.value == lines && events.values == [])
        try draft.commit()
        expect(order.lines.value == [lines[1]] && other.lines.value == [lines[0]])
        expect(events.values == [2] && other.total.value == 5)
    }

    @Test func `in a draft of the owner the key of a member is the draft's owner`() throws {
        let draft = order.draft()
        expect(draft.lines[0]?.order.value === draft.scratch)
        let other = Order()
        draft.lines[0]?.order.value = other
        expect(draft.changes, equals: [["lines", 0, "order"]])
        expect(order.lines.value == lines && other.lines.value == [])
        try draft.commit()
        expect(order.lines.value == [lines[1]] && other.lines.value == [lines[0]])
        expect(draft.lines.count == 1 && draft.changes == [])
    }

    @Test func `the one member of a relation is edited, replaced and taken out`() throws {
        let receipt = Receipt()
        order.receipt.value = receipt
        let draft = order.draft()
        draft.receipt.value?.text.value = "paid"
        expect(draft.changes == [["receipt", "text"]] && receipt.text.value == nil)
        try draft.commit()
        expect(receipt.text.value == "paid" && order.receipt.value === receipt)
        let new = Receipt()
        draft.receipt.value = new
        expect(draft.changes == [["receipt"]] && new.order.value == nil)
        order.receipt.value = nil
        expect(draft.conflicts, equals: [["receipt"]], "of one there is nothing to merge")
        order.receipt.value = receipt
        try draft.commit(overwriting: true)
        expect(order.receipt.value === new && new.order.value === order)
        expect(receipt.order.value, equals: nil)
        draft.receipt.value = nil
        try draft.commit()
        expect(order.receipt.value == nil && new.order.value == nil)
    }

    enum Course: CaseIterable {
        case firstThenSecond, secondThenFirst, secondAlone, firstIsGone, firstIsDiscarded, together
    }

    @Test(arguments: Course.allCases)
    func `a line that goes from one draft into another is the same line, with its edits`(
        _ course: Course
    ) throws {
        let other = Order()
        var first: ModelDraft? = order.draft()
        let second = other.draft()
        let line = try #require(first?.lines[0])
        line.count.value = 5
        first?.lines.remove(at: 0)
        second.lines.append(line)
        expect(second.changes == [["lines"]] && other.lines.value == [])
        switch course {
        case .firstThenSecond:
            try first?.commit()
            expect(lines[0].order.value == nil && lines[0].count.value == 1)
            try second.commit()
        case .secondThenFirst:
            try second.commit()
            expect(first?.changes, equals: [], "it has left the first order by that")
            try first?.commit()
        case .secondAlone: try second.commit()
        case .firstIsGone:
            first = nil
            try second.commit()
        case .firstIsDiscarded:
            first?.discard()
            try second.commit()
        case .together:
            let drafts = try #require(first)
            try Form().add(drafts, named: "first").add(second, named: "second").commit()
        }
        expect(other.lines.value == [lines[0]] && order.lines.value == [lines[1]])
        expect(lines[0].order.value === other)
        // What was edited in the first draft is taken back with it.
        expect(lines[0].count.value, equals: course == .firstIsDiscarded ? 1 : 5)
        expect(!second.isDirty && second.conflicts == [] && second.lines[0] === line)
        expect(line.order.value === second.scratch)
        line.count.value = 7
        expect(second.changes, equals: [["lines", 0, "count"]])
        try second.commit()
        expect(lines[0].count.value == 7 && other.lines.value == [lines[0]])
        try first?.commit()
        expect(other.lines.value == [lines[0]] && order.lines.value == [lines[1]])
    }

    @Test func `a draft of a draft leads to that, and not to what is real`() throws {
        let outer = order.draft()
        let line = try #require(outer.lines[0]), second = try #require(outer.lines[1])
        let inner = outer.scratch.draft()
        inner.lines[0]?.count.value = 5
        inner.lines.remove(at: 1)
        try inner.commit()
        expect(outer.lines.value == [line] && line.count.value == 5 && lines[0].count.value == 1)
        inner.lines.append(second)
        try inner.commit()
        expect(outer.lines.value == [line, second] && order.lines.value == lines)
        try outer.commit()
        expect(order.lines.value == lines && lines[0].count.value == 5)
    }

    @Test func `what was edited goes with its draft, or with the one that it has come into`() throws
    {
        weak var owner: Order?
        weak var kept: Line?
        weak var moved: Line?
        let other = Order()
        do {
            let second = other.draft()
            do {
                let first = order.draft()
                (owner, kept, moved) = (first.scratch, first.lines[1], first.lines[0])
                second.lines.append(try #require(first.lines[0]))
            }
            expect(owner == nil && kept == nil && moved?.order.value === order)
            try second.commit()
            expect(moved === second.lines[0] && moved?.order.value === second.scratch)
        }
        expect(moved == nil && other.lines.value == [lines[0]])
    }

    @Test func `a line that was taken out of a draft and comes back is the same line`() throws {
        let draft = order.draft()
        let line = try #require(draft.lines[0])
        draft.lines.remove(at: 0)
        try draft.commit()
        line.count.value = 5
        draft.lines.append(line)
        try draft.commit()
        expect(order.lines.value == [lines[1], lines[0]] && lines[0].count.value == 5)
    }

    @Test func `the draft of a line in a key, or beside one of its own, is the line`() throws {
        let first = order.draft(), other = Order()
        let line = Line(3)
        let second = other.draft()
        line.order.value = first.scratch
        second.lines.append(line)
        line.order.value = second.scratch
        try second.commit()
        expect(other.lines.value == [line] && line.order.value === other)
        let third = other.draft(), fourth = other.draft()
        let edited = try #require(third.lines[0])
        edited.count.value = 9
        fourth.lines.append(edited)
        fourth.lines[0]?.count.value = 4
        try fourth.commit()
        expect(other.lines.value == [line] && line.count.value == 4)
        expect(fourth.lines.count == 1 && !fourth.isDirty)
        expect(third.conflicts, equals: [["lines", 0, "count"]])
    }

    @Test func `what others set in a line that has come from another draft is a conflict`() throws {
        let other = Order()
        let first = order.draft(), second = other.draft()
        let line = try #require(first.lines[0])
        line.count.value = 5
        second.lines.append(line)
        let new = Line(8)
        other.lines.append(new)
        lines[0].count.value = 6
        let error = #expect(throws: DraftError.self) { try second.commit() }
        expect(error?.conflicts ?? [], equals: [["lines", 0, "count"]])
        expect(other.lines.value == [new] && order.lines.value == lines)
        try second.commit(overwriting: true)
        expect(other.lines.value == [lines[0], new] && lines[0].count.value == 5)
    }

    @Test func `the members of several owners are edited by each`() throws {
        let tag = Tag(), other = Tag()
        lines[0].tags.value = [tag, other]
        lines[1].tags.value = [other]
        let draft = tag.draft()
        expect(draft.lines.count == 1 && draft.lines[0]?.tags.value == [draft.scratch, other])
        draft.lines[0]?.count.value = 5
        draft.lines.append(lines[1])
        expect(tag.lines.value == [lines[0]] && lines[1].tags.value == [other])
        try draft.commit()
        expect(tag.lines.value == lines && lines[1].tags.value == [other, tag])
        expect(lines[0].count.value, equals: 5)
        draft.lines.remove(at: 0)
        try draft.commit()
        expect(lines[0].tags.value == [other] && tag.lines.value == [lines[1]])
        expect(other.lines.value, equals: lines)
    }

    @Test func `a tree is edited as a whole, and branches move in it`() throws {
        let leaf = Folder("leaf"), left = Folder("left", leaf), right = Folder("right")
        let root = Folder("root", left, right), above = Folder("above", root)
        let draft = root.draft()
        expect(draft.parent.value === above, "what is above is shared")
        let moved = try #require(draft.folders[0]?.folders[0])
        moved.name.value = "twig"
        draft.folders[0]?.folders.removeAll()
        draft.folders[1]?.folders.append(moved)
        draft.folders[1]?.folders.append(Folder("new"))
        expect(draft.scratch.text, equals: "root(left right(twig new))")
        expect(above.text, equals: "above(root(left(leaf) right))")
        try draft.commit()
        expect(above.text, equals: "above(root(left right(twig new)))")
        expect(leaf.parent.value === right && right.folders[0] === leaf)
        expect(draft.changes, equals: [])
    }

    @Test func `a form of a draft has its members`() throws {
        let draft = order.draft()
        let form = Form().add(draft)
        draft.lines[1]?.count.value = 0
        expect(form.changes, equals: [["lines", 1, "count"]])
        form.validate()
        expect(form.issues.map(\.path), equals: [["lines", 1, "count"]])
        #expect(throws: DraftError.self) { try form.commit() }
        draft.lines[1]?.count.value = 4
        draft.lines.append(Line(8))
        form.validate()
        expect(form.issues.isEmpty)
        expect(form.changes, equals: [["lines"], ["lines", 1, "count"]])
        let events = Collector<Int?>()
        order.total.observe(when: .changes) { events.add($0) }
        try form.commit()
        expect(events.values == [13] && order.lines.count == 3)
        expect(form.changes == [] && !form.isDirty)
    }

    @Test func `a form takes back what was changed in members`() throws {
        let draft = order.draft()
        let form = Form().add(draft)
        draft.lines[1]?.count.value = 4
        draft.lines.remove(at: 0)
        form.discard()
        expect(form.changes == [] && draft.scratch.total.value == 3)
        expect(order.lines.value, equals: lines)
    }

    @Test func `copies join no relation until their key is set`() {
        let events = Collector<Int?>()
        order.total.observe(when: .changes) { events.add($0) }
        let copy = lines[0].copy()
        expect(copy.order.value === order && order.lines.value == lines)
        copy.count.value = 7
        expect(events.values == [] && order.total.value == 3)
        let draft = order.draft()
        expect(draft.lines.count, equals: 2, "nor is it in a draft")
        copy.order.value = order
        expect(order.lines.value == lines + [copy] && events.values == [10])

        let tag = Tag()
        lines[1].tags.value = [tag]
        let tagged = lines[1].copy()
        expect(tagged.tags.value == [tag] && tag.lines.value == [lines[1]])
        tagged.tags.value = [tag]
        expect(tag.lines.value, equals: [lines[1], tagged])
    }

    @Test func `a copy of an owner has no members, and takes none away`() {
        let copy = order.copy()
        expect(copy.lines.value == [] && copy.total.value == 0)
        expect(order.lines.value == lines && lines.allSatisfy { $0.order.value === order })
        copy.lines.append(lines[0].copy())
        expect(copy.lines.count == 1 && order.lines.value == lines)
    }
}
