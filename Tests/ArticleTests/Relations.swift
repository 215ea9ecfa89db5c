import ModelKit
import Testing

@Suite struct Relations {
    @Test func `the examples of the article run`() throws {
        let office = Office()
        office.name.value = "Paris"
        let desk = Desk()
        desk.label.value = "A1"
        office.desks.append(desk)
        print(office.dictionaryValue()["desks"] ?? .null)
        #expect(office.dictionaryValue()["desks"] == [["label": "A1", "office": [:]]])

        print(desk.office.value === office)  // true
        #expect(desk.office.value === office)
        let annex = Office()
        desk.office.value = annex
        print(office.desks.count, annex.desks.count)  // 0 1
        #expect(office.desks.value == [] && annex.desks.value == [desk])

        annex.unlink()
        print(desk.office.value as Any)  // nil
        #expect(desk.office.value == nil)

        let order = Order()
        let line = Line()
        order.lines.append(line)
        print(order.cascade().count, line.cascade().count)  // 1 0
        #expect(order.cascade().count == 1 && line.cascade().isEmpty)
        order.nullify()

        let parcel = try Parcel(dictionaryValue: ["id": "p1", "order": "o1"])
        print(parcel.order.value?.loadState as Any)  // incomplete
        #expect(parcel.order.value?.loadState == .incomplete)
        print(parcel.dictionaryValue()["order"] ?? .null)  // "o1"
        #expect(parcel.dictionaryValue()["order"] == "o1")

        let map = IdentityMap()
        let first = try map.read(Parcel.self, ["id": "p2", "order": "o2"])
        let known = try map.read(Order.self, ["id": "o2", "note": "fragile"])
        print(first.order.value === known)  // true
        #expect(first.order.value === known)
        print(known.loadState)  // loaded
        #expect(known.loadState == .loaded)

        let copy = known.copy()
        print(copy === known, copy.note.value ?? "")  // false fragile
        #expect(copy !== known && copy.note.value == "fragile")
        known.unload()
        print(known.loadState, known.dictionaryValue())  // incomplete ["id": "o2"]
        #expect(known.loadState == .incomplete && known.dictionaryValue() == ["id": "o2"])
        known.merge(from: copy)
        print(known.note.value ?? "")  // fragile
        #expect(known.note.value == "fragile")

        order["lines[0].amount"] = 3
        print(line.amount.value ?? 0)  // 3
        #expect(line.amount.value == 3)
        try order.setValue(4, at: ["lines", 0, "amount"])
        var names: [String] = []
        order.visitAllFields { field in names.append(field.key?.description ?? "-") }
        print(names.count)  // 5
        #expect(names.count == 5)
    }
}

final class Office: Model {
    let name = Field<String>()
    let desks = ModelField<Desk>(inverse: \.office)*
    init() { linkFields() }
}

final class Desk: Model {
    let label = Field<String>()
    let office = ModelField<Office>()
    init() { linkFields() }
}

final class Order: Model {
    let id = Field<String>()
    let note = Field<String>()
    let lines = ModelField<Line>(inverse: \.order, cascadeDelete: true)*
    init() { linkFields() }
}

final class Line: Model {
    let amount = Field<Int>()
    let order = ModelField<Order>()
    init() { linkFields() }
}

final class Parcel: Model {
    let id = Field<String>()
    let order = ModelField<Order>(foreignKey: true)
}
