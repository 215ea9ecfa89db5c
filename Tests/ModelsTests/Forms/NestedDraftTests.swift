import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// Drafts of models that have others inside.
@Suite struct NestedDraftTests {
    final class Product: Model {
        let id = Field<Int>()
        let price = Field<Int>()
    }

    final class Part: Model {
        let name = Field<String>()
    }

    final class Address: Model {
        let city = Field<String>().require(.notBlank)
    }

    final class Line: Model {
        let order = ModelField<Order>()
        let count = Field<Int>(value: 1).require(.min(1))
        let parts = ModelField<Part>()*
        let product = ModelField<Product>(foreignKey: true)

        init() { linkFields() }

        convenience init(_ count: Int) {
            self.init()
            self.count.value = count
        }
    }

    final class Order: Model {
        let title = Field<String>()
        let address = ModelField<Address>().requireValid()
        let lines = ModelField<Line>(inverse: \.order).requireValid()*

        init() { linkFields() }

        var counts: [Int?] { (lines.value ?? []).map(\.count.value) }
    }

    private let order = Order()
    private let product = Product()

    init() {
        order.address.value = Address()
        order.address.value?.city.value = "Rome"
        order.lines.value = [Line(1), Line(2), Line(3)]
        order.lines.value?[0].parts.value = [Part()]
        order.lines.value?[0].product.value = product
    }

    @Test func `what is edited inside stays in the draft until the commit`() throws {
        let lines = try #require(order.lines.value)
        let draft = order.draft()
        expect(!draft.isDirty)
        draft.lines.value?[1].count.value = 5
        draft.lines.value?[0].parts.value?[0].name.value = "cap"
        draft.address.value?.city.value = "Bern"
        expect(order.counts, equals: [1, 2, 3])
        expect(lines[0].parts.value?[0].name.value, equals: nil)
        expect(order.address.value?.city.value, equals: "Rome")
        let changes: [FieldPath] = [
            ["address", "city"], ["lines", 0, "parts", 0, "name"], ["lines", 1, "count"],
        ]
        expect(draft.changes, equals: changes)
        expect(draft.isDirty(\.lines) && draft.isDirty(\.address) && !draft.isDirty(\.title))
        expect(Set(draft.changedValues().keys), equals: ["address", "lines"])
        try draft.commit()
        expect(order.counts, equals: [1, 5, 3])
        expect(lines[0].parts.value?[0].name.value, equals: "cap")
        expect(order.address.value?.city.value, equals: "Bern")
        expect(order.lines.value, equals: lines, "the objects are the same")
        expect(!draft.isDirty)
    }

    @Test func `members that come, go and move are committed in one batch`() throws {
        let lines = try #require(order.lines.value)
        let draft = order.draft()
        let new = Line(9)
        draft.lines.append(new)
        draft.lines.move(from: 2, to: 0)
        draft.lines.remove(at: 1)
        draft.lines.value?[0].count.value = 7
        expect(draft.changes, equals: [["lines"], ["lines", 0, "count"]])
        expect(order.lines.value == lines && new.order.value == nil)
        let seen = Collector<[Int?]>()
        order.lines.observe(when: .changes) { [order] _ in seen.add(order.counts) }
        lines[2].count.observe(when: .changes) { [order] _ in seen.add(order.counts) }
        try draft.commit()
        expect(order.lines.value, equals: [lines[2], lines[1], new])
        expect(seen.values, equals: [[7, 2, 9], [7, 2, 9]])
        expect(lines[0].order.value, equals: nil)
        expect(new.order.value === order && lines[2].order.value === order)
        expect(!draft.isDirty)
        draft.lines.value?[2].count.value = 8
        expect(new.count.value, equals: 9, "the draft has a model of its own for it now")
        expect(draft.changes, equals: [["lines", 2, "count"]])
        try draft.commit()
        expect(new.count.value, equals: 8)
    }

    @Test func `what is taken back inside is as it was`() {
        let draft = order.draft()
        func edit() {
            draft.lines.value?[0].count.value = 5
            draft.lines.value?[0].parts.append(Part())
            draft.lines.remove(at: 1)
            draft.address.value?.city.value = "Bern"
        }
        edit()
        draft.revert(\.lines)
        expect(draft.changes, equals: [["address", "city"]])
        expect(draft.scratch.counts, equals: [1, 2, 3])
        edit()
        draft.discard()
        expect(!draft.isDirty)
        expect(draft.lines.value?[0].parts.count, equals: 1)
        expect(draft.address.value?.city.value, equals: "Rome")
        expect(order.counts, equals: [1, 2, 3])
    }

    @Test func `conflicts and a rebase are of each field inside`() throws {
        let draft = order.draft()
        draft.lines.value?[0].count.value = 5
        draft.lines.value?[1].count.value = 6
        order.lines.value?[0].count.value = 7
        order.lines.value?[2].count.value = 8
        order.lines.append(Line(4))
        expect(draft.conflicts, equals: [["lines", 0, "count"]])
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.conflicts, equals: [["lines", 0, "count"]])
        expect(order.counts, equals: [7, 2, 8, 4])
        expect(draft.rebase(), equals: [["lines", 0, "count"]])
        expect(draft.scratch.counts, equals: [5, 6, 8, 4])
        draft.lines.value?[3].count.value = 9
        expect(order.counts, equals: [7, 2, 8, 4])
        try draft.commit()
        expect(order.counts, equals: [5, 6, 8, 9])
    }

    @Test(arguments: [false, true])
    func `a member that somebody else takes out while it is edited is a conflict`(
        isOverwriting: Bool
    ) throws {
        let line = try #require(order.lines.value?[1])
        let draft = order.draft()
        draft.lines.value?[1].count.value = 6
        order.lines.remove(at: 1)
        expect(draft.conflicts, equals: [["lines"]])
        #expect(throws: DraftError.self) { try draft.commit() }
        expect(order.counts, equals: [1, 3])
        if isOverwriting {
            try draft.commit(overwriting: true)
        } else {
            expect(draft.rebase(), equals: [["lines"]])
            try draft.commit()
        }
        expect(order.counts == [1, 6, 3] && order.lines.value?[1] === line)
        order.lines.remove(at: 1)
        try expect(draft.commit().counts, equals: [1, 3], "nothing is edited in it")
        expect(draft.scratch.counts, equals: [1, 3])
    }

    @Test func `keys stay shared, and what refers to the base refers to the draft in it`() throws {
        let draft = order.draft()
        let line = try #require(draft.lines.value?[0])
        expect(line.product.value === product)
        expect(line.order.value === draft.scratch)
        line.product.value?.price.value = 3
        expect(product.price.value == 3 && !draft.isDirty)
        let other = Product()
        line.product.value = other
        expect(draft.changes, equals: [["lines", 0, "product"]])
        let new = Line(4)
        new.product.value = other
        new.order.value = draft.scratch
        draft.lines.append(new)
        expect(order.lines.count, equals: 3)
        try draft.commit()
        expect(order.lines.value?[0].product.value === other)
        expect(new.order.value === order && order.lines.value?.last === new)
    }

    @Test func `a draft is validated with all that is in it`() throws {
        let draft = order.draft()
        draft.lines.value?[2].count.value = 0
        draft.address.value?.city.value = ""
        let paths: [FieldPath] = [["address", "city"], ["lines", 2, "count"]]
        expect(draft.validationIssues().map(\.path), equals: paths)
        expect(draft.changeIssues().count, equals: 2)
        #expect(throws: DraftError.self) { try draft.commit() }
        expect(order.counts, equals: [1, 2, 3])
        draft.lines.value?[2].count.value = 3
        draft.address.value?.city.value = "Oslo"
        try draft.commit()
        expect(order.address.value?.city.value, equals: "Oslo")
    }

    @Test func `a form has the changes and issues of models in a draft`() throws {
        let draft = order.draft()
        let form = Form().add(draft, named: "order")
        let seen = Collector<Bool?>()
        let dirty = Computed { form.isDirty }
        dirty --> { seen.add($0) }
        draft.lines.value?[1].count.value = 0
        expect(form.changes, equals: [["order", "lines", 1, "count"]])
        form.validate()
        expect(form.firstInvalid?.path, equals: ["order", "lines", 1, "count"])
        expect(form.firstInvalid?.field === draft.lines.value?[1].count)
        form.discard()
        expect(draft.scratch.counts, equals: [1, 2, 3])
        draft.lines.value?[1].count.value = 6
        try form.commit()
        expect(order.counts, equals: [1, 6, 3])
        expect(seen.values, equals: [false, true, false, true, false])
    }

    final class Node: Model {
        let name = Field<String>()
        let next = ModelField<Node>()
        let others = ModelField<Node>()*
    }

    @Test func `cycles and long chains have an end`() throws {
        let (first, second) = (Node(), Node())
        first.next.value = second
        second.next.value = first
        first.others.value = [first, second, first]
        let draft = first.draft()
        expect(draft.next.value?.next.value === draft.scratch)
        expect(draft.others.value?[1] === draft.next.value)
        draft.next.value?.name.value = "b"
        draft.scratch.name.value = "a"
        expect(draft.changes, equals: [["name"], ["next", "name"]])
        try draft.commit()
        expect(first.name.value == "a" && second.name.value == "b")
        expect(first.others.value, equals: [first, second, first])
        let chain = Node()
        var last = chain
        for _ in 0..<500 {
            last.next.value = Node()
            last = last.next.value ?? last
        }
        let long = chain.draft()
        var end = long.scratch
        while let next = end.next.value { end = next }
        end.name.value = "end"
        expect(long.isDirty && long.changes.count == 1)
        try long.commit()
        expect(last.name.value, equals: "end")
    }

    class Shape: ModelObject, @unchecked Sendable {
        let kind = Field<String>()
    }

    final class Circle: Shape, @unchecked Sendable {
        let radius = Field<Int>()
    }

    final class Picture: Model {
        let shapes = ModelField<Shape>()*
    }

    @Test func `models of subclasses are drafted as what they are`() throws {
        let circle = Circle()
        circle.radius.value = 2
        let picture = Picture()
        picture.shapes.value = [Shape(), circle]
        let draft = picture.draft()
        let edited = try #require(draft.shapes.value?[1] as? Circle)
        edited.radius.value = 3
        expect(draft.changes, equals: [["shapes", 1, "radius"]])
        expect(circle.radius.value, equals: 2)
        try draft.commit()
        expect(circle.radius.value, equals: 3)
    }

    @Test func `what the base was set to meanwhile, too, is no change any more`() throws {
        let draft = order.draft()
        let seen = Collector<Bool?>()
        let dirty = Computed { draft.isDirty }
        dirty --> { seen.add($0) }
        draft.title.value = "a"
        order.title.value = "a"
        expect(!draft.isDirty && draft.changes == [] && draft.conflicts == [])
        order.title.value = "b"
        expect(draft.conflicts, equals: [["title"]])
        order.title.value = "a"
        try draft.commit()
        expect(seen.values, equals: [false, true, false, true, false])
    }

    /// Random edits of a draft against lists of numbers.
    @Test func `a random draft brings to its base what it shows`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed of random drafts:", seed)
        var random = SplitMix(seed: seed)
        var draft = order.draft()
        var expected = order.counts
        for step in 0..<600 {
            let lines = draft.lines.value ?? []
            let before = order.counts
            switch random.next() % 8 {
            case 0: draft.lines.append(Line(step + 1))
            case 1:
                if lines.count > 1 {
                    draft.lines.remove(at: Int.random(in: lines.indices, using: &random))
                }
            case 2: if lines.count > 1 { draft.lines.move(from: 0, to: lines.count - 1) }
            case 3: draft.discard()
            case 4:
                expected = draft.scratch.counts
                try draft.commit()
                expect(order.counts == expected && !draft.isDirty, "seed \(seed), step \(step)")
                expect(order.lines.value?.allSatisfy { $0.order.value === order } ?? true)
            case 5: draft = order.draft()
            default:
                lines.randomElement(using: &random)?.count.value = step + 1
            }
            let isRight =
                order.counts == (order.counts == before ? before : expected)
                && (draft.isDirty || draft.scratch.counts == order.counts)
            expect(isRight, "seed \(seed), step \(step)")
        }
    }

    @Test func `a model without relations that another draft edits is refused, too`() throws {
        let other = Order()
        let (draft, second) = (order.draft(), other.draft())
        second.address.value = draft.address.value
        let error = withExtendedLifetime(draft) {
            #expect(throws: DraftError.self) { try second.commit() }
        }
        expect(error?.issues.map(\.code), equals: ["standIn"])
        expect(error?.issues.map(\.path), equals: [["address"]])
        expect(other.address.value, equals: nil)
        second.address.value = order.address.value
        try second.commit()
        expect(other.address.value === order.address.value)
    }

    @Test func `a model that was edited in a draft can come back once it has left`() throws {
        let line = try #require(order.lines[0])
        let draft = line.draft()
        let part = try #require(draft.parts[0])
        draft.parts.remove(at: 0)
        try draft.commit()
        draft.parts.append(part)
        try draft.commit()
        expect(line.parts.value?.count == 1 && line.parts[0] === part)
    }

    @Test func `a model is free when the draft is gone that has edited it`() throws {
        let other = Order()
        let address = try #require(order.draft().address.value)
        let draft = other.draft()
        draft.address.value = address
        try draft.commit()
        expect(other.address.value === address)
    }
}
