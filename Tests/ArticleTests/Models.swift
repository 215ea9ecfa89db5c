import ModelKit
import Testing

@Suite struct Models {
    @Test func `the examples of the article run`() throws {
        let traveller = Traveller()
        traveller.name.value = "Ada"
        traveller.arrival.value = 3
        print(traveller)  // Traveller(name: "Ada", arrival: 3)
        #expect(traveller.description == #"Traveller(name: "Ada", arrival: 3)"#)
        print(traveller == Traveller())  // false
        #expect(traveller != Traveller())

        print(Traveller.schema)
        #expect(Traveller.schema.description.hasPrefix("Traveller: id (string, identifier), name"))
        let entry = Traveller.schema.entry(named: "arrival")
        print(entry?.key ?? "", entry?.title ?? "")  // day.arrival Arrival
        #expect(entry?.key == ["day", "arrival"] && entry?.title == "Arrival")
        print(Traveller.schema.identifier?.name ?? "")  // id
        #expect(Traveller.schema.identifier?.name == "id")

        print(Stay.schema)  // Stay: travellers (array of Traveller) [items: valid]
        print(Traveller.schema.entry(named: "name")?.constraint as Any)  // notBlank
        print(Stay.schema.relation(of: "travellers")?.type as Any)  // Traveller
        #expect(
            Stay.schema.description == "Stay: travellers (array of Traveller) [items: valid]"
        )
        #expect(Traveller.schema.entry(named: "name")?.constraint == .notBlank)
        #expect(Stay.schema.relation(of: "travellers")?.type == Traveller.self)
        #expect(Lodger.schema.fields.map(\.name) == ["name", "town", "street"])

        print(traveller.dictionaryValue())
        #expect(traveller.dictionaryValue() == ["name": "Ada", "day": ["arrival": 3]])

        let stay = Stay()
        stay.travellers.value = [traveller]
        print(stay["travellers[0].name"] as? String ?? "")  // Ada
        #expect(stay["travellers[0].name"] as? String == "Ada")
        stay["travellers[0].name"] = "Eve"
        #expect(traveller.name.value == "Eve")
        do {
            try stay.setValue("late", at: ["travellers", 0, "day", "arrival"])
        } catch {
            print(error.path, error.code)  // travellers[0].day.arrival type
            #expect(error.path.description == "travellers[0].day.arrival" && error.code == "type")
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

        traveller.departure.value = 2
        print(stay.validate())
        #expect(stay.validate().isInvalid)
        print(traveller.departure.issues.map(\.code))  // ["custom"]
        #expect(traveller.departure.issues.map(\.code) == ["custom"])
        traveller.departure.value = 9
        print(stay.validate())  // valid
        #expect(stay.validate() == .valid)
    }
}

final class Traveller: Model {
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

struct Lodging: Sendable {
    let street = Field<String>()
    let town = Field<String>()
}

final class Lodger: Model {
    let name = Field<String>()
    let lodging = Lodging()
    static var declaredFields: [FieldDeclaration]? {
        [
            FieldDeclaration("name", \Lodger.name),
            FieldDeclaration("town", \Lodger.lodging.town),
            FieldDeclaration("street") { (lodger: Lodger) in lodger.lodging.street },
        ]
    }
}

final class Stay: Model {
    let travellers = ModelField<Traveller>().requireValid()*
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

extension Models {
    @Test func `a copy of some fields has these alone`() throws {
        let traveller = Traveller()
        traveller.name.value = "Eve"
        traveller.arrival.value = 3

        let short = traveller.copy(fields: [traveller.name])
        print(short)  // Traveller(name: "Eve")
        #expect(short.name.value == "Eve" && short.arrival.value == nil)

        short.name.value = ""
        print(short.isCurrentlyValid, short.name.validationState)  // false unknown
        #expect(!short.isCurrentlyValid && short.name.validationState == .unknown)
    }
}
