import ModelKit
import Testing

@Suite struct Models {
    @Test func `the examples of the article run`() throws {
        let guest = Visitor()
        guest.name.value = "Ada"
        guest.arrival.value = 3
        print(guest)  // Visitor(name: Ada, arrival: 3)
        #expect(guest.description == "Visitor(name: Ada, arrival: 3)")
        print(guest == Visitor())  // false
        #expect(guest != Visitor())

        print(Visitor.schema)
        #expect(Visitor.schema.description.hasPrefix("Visitor: id (string, identifier), name"))
        let entry = Visitor.schema.entry(named: "arrival")
        print(entry?.key ?? "", entry?.title ?? "")  // day.arrival Arrival
        #expect(entry?.key == ["day", "arrival"] && entry?.title == "Arrival")
        print(Visitor.schema.identifier?.name ?? "")  // id
        #expect(Visitor.schema.identifier?.name == "id")

        print(guest.dictionaryValue())
        #expect(guest.dictionaryValue() == ["name": "Ada", "day": ["arrival": 3]])

        let stay = Stay()
        stay.guests.value = [guest]
        print(stay["guests[0].name"] as? String ?? "")  // Ada
        #expect(stay["guests[0].name"] as? String == "Ada")
        stay["guests[0].name"] = "Eve"
        #expect(guest.name.value == "Eve")
        do {
            try stay.setValue("late", at: ["guests", 0, "arrival"])
        } catch {
            print(error.path, error.code)  // guests[0].arrival type
            #expect(error.path.description == "guests[0].arrival" && error.code == "type")
        }

        var count = 0
        stay.visitAllFields { _ in count += 1 }
        print(count)  // 5
        #expect(count == 5)
        stay.visitAllFieldValues(recursive: false) { print($0 ?? "-") }

        let room = try Room.make(of: ["kind": "suite", "number": 7, "rooms": 3])
        print(type(of: room))  // Suite
        #expect(room is Suite)
        room << Field<String>(value: "blue", key: "color")
        print(room["color"] as? String ?? "")  // blue
        #expect(room["color"] as? String == "blue")
        print(room.dictionaryValue())
        #expect(
            room.dictionaryValue() == ["kind": "suite", "number": 7, "rooms": 3, "color": "blue"]
        )

        guest.departure.value = 2
        print(stay.validate())
        #expect(stay.validate().isInvalid)
        print(guest.departure.issues.map(\.code))  // ["custom"]
        #expect(guest.departure.issues.map(\.code) == ["custom"])
        guest.departure.value = 9
        print(stay.validate())  // valid
        #expect(stay.validate() == .valid)
    }
}

final class Visitor: Model {
    let id = Field<String>()
    let name = Field<String>(name: "Name").require(.notBlank)
    let arrival = Field<Int>(name: "Arrival", key: ["day", "arrival"])
    let departure = Field<Int>(name: "Departure", key: ["day", "departure"])

    func check(_ report: inout ModelReport) {
        report.require(departure, "must not be before the arrival") {
            guard let arrival = arrival.value, let departure = departure.value else { return true }
            return arrival <= departure
        }
    }
}

final class Stay: Model {
    let guests = ModelField<Visitor>().requireValid()*
}

class Room: ModelObject, @unchecked Sendable {
    let kind = Field<String>()
    let number = Field<Int>()

    override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
        dictionary["kind"] == "suite" ? Suite.self : self
    }
}

final class Suite: Room, @unchecked Sendable {
    let rooms = Field<Int>()
}
