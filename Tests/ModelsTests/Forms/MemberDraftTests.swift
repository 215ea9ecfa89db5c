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

    @Test func `a line that another draft edits is refused, and the order's own goes over`() throws
    {
        let (first, second) = (Order(), Order())
        first.lines.value = [Line(1), Line(2)]
        let line = try #require(first.lines[0])
        let (draft, other) = (first.draft(), second.draft())
        let shown = try #require(draft.lines[0])
        draft.lines.remove(at: 0)
        other.lines.append(shown)
        let error = #expect(throws: DraftError.self) { try other.commit() }
        expect(error?.issues.map(\.code), equals: ["standIn"])
        expect(error?.issues.map(\.path), equals: [["lines", 0]])
        expect(second.lines.count, equals: 0)
        #expect(line.order.value === first)

        other.lines.remove(at: 0)
        other.lines.append(line)
        try draft.commit()
        try other.commit()
        #expect(second.lines[0] === line && line.order.value === second)
        expect(first.lines.value?.map(\.count.value), equals: [2])

        // What is taken out stays out; a draft of a draft edits what that one edits.
        draft.lines.append(shown)
        #expect(throws: DraftError.self) { try draft.commit() }
        draft.discard()
        let inner = draft.scratch.draft()
        inner.lines[0]?.count.value = 9
        inner.lines.append(Line(4))
        try inner.commit()
        try draft.commit()
        expect(first.lines.value?.map(\.count.value), equals: [9, 4])
    }

    @Test func `a copy that gets one more from the other side still joins the others by a set`() {
        let line = Line(1), tags = [Tag(), Tag()], third = Tag()
        line.tags.value = tags
        let copy = line.copy()
        third.lines.append(copy)
        expect(copy.tags.value == tags + [third] && tags[0].lines.value == [line])
        copy.tags.value = tags + [third]
        expect(tags.map(\.lines.value), equals: [[line, copy], [line, copy]])
        expect(third.lines.value, equals: [copy])

        let other = line.copy()
        tags[0].lines.append(other)
        expect(other.tags.value, equals: tags, "it is there once")
        third.lines.append(other)
        third.lines.removeAll()
        other.tags.value = tags
        expect(tags[1].lines.value, equals: [line, copy, other])
    }

    @Test func `a conflict is known after an overwriting commit that was refused`() throws {
        let draft = order.draft()
        draft.lines[0]?.count.value = 0
        draft.lines[1]?.count.value = 6
        order.lines.remove(at: 1)
        let added = Line(7)
        order.lines.append(added)
        #expect(throws: DraftError.self) { try draft.commit(overwriting: true) }
        draft.lines[0]?.count.value = 3
        expect(draft.conflicts, equals: [["lines"]])
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.conflicts, equals: [["lines"]])
        expect(order.lines.value, equals: [lines[0], added])

        // What others have added can be taken out nevertheless.
        draft.lines.removeAll { $0.count.value == 7 }
        try draft.commit(overwriting: true)
        expect(order.lines.value?.map(\.count.value) == [3, 6] && order.lines[1] === lines[1])
        expect(draft.changes == [] && draft.conflicts == [])
    }

    @Test func `a member that is edited no more goes with the others that have gone`() throws {
        let draft = order.draft()
        draft.lines[0]?.count.value = 0
        draft.lines[1]?.count.value = 6
        order.lines.remove(at: 1)
        #expect(throws: DraftError.self) { try draft.commit(overwriting: true) }
        draft.lines[0]?.count.value = 3
        draft.lines[1]?.count.value = 2
        expect(draft.conflicts, equals: [])
        try draft.commit()
        expect(order.lines.value == [lines[0]] && draft.lines.count == 1)
    }
}
