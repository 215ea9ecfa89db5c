import ModelKit

// A contact of ten typed columns: as a model, as one with indexes, and as plain values, from which both
// are filled.

struct PlainContact: Codable, Sendable {
    var id: Int64
    var firstName: String
    var lastName: String
    var email: String
    var city: String
    var notes: String
    var age: Int64
    var visits: Int64
    var weight: Double
    var isActive: Bool
}

extension PlainContact {
    init(_ number: Int) {
        self.init(
            id: Int64(number),
            firstName: "First\(number)",
            lastName: "Last\(number % 97)",
            email: "someone.\(number)@example.com",
            city: "City \(number % 1000)",
            notes: "Some text that is a little longer than a small string is.",
            age: Int64(number % 90),
            visits: Int64(number * 7 % 1009),
            weight: Double(number % 700) / 7,
            isActive: number % 2 == 0
        )
    }

    /// So many, with the identifiers from 1 on.
    static func all(_ count: Int) -> [PlainContact] { (1...count).map(PlainContact.init) }
}

final class Contact: Model {
    let id = Field<Int>()
    let firstName = Field<String>()
    let lastName = Field<String>()
    let email = Field<String>()
    let city = Field<String>()
    let notes = Field<String>()
    let age = Field<Int>()
    let visits = Field<Int>()
    let weight = Field<Double>()
    let isActive = Field<Bool>()

    static func filled(_ number: Int) -> Contact {
        let (plain, model) = (PlainContact(number), Contact())
        model.fill(plain)
        return model
    }

    func fill(_ plain: PlainContact) {
        id.value = Int(plain.id)
        firstName.value = plain.firstName
        lastName.value = plain.lastName
        email.value = plain.email
        city.value = plain.city
        notes.value = plain.notes
        age.value = Int(plain.age)
        visits.value = Int(plain.visits)
        weight.value = plain.weight
        isActive.value = plain.isActive
    }
}

final class IndexedContact: Model {
    let id = Field<Int>()
    let firstName = Field<String>()
    let lastName = Field<String>()
    let email = Field<String>().unique()
    let city = Field<String>().indexed()
    let notes = Field<String>()
    let age = Field<Int>()
    let visits = Field<Int>()
    let weight = Field<Double>()
    let isActive = Field<Bool>()
}

extension PlainContact {
    /// The creation of the record that a model of it has.
    func creation(of schema: ModelSchema) -> RecordWrite {
        let values: [FieldKey: AttributeValue] = [
            "id": .int(id), "firstName": .string(firstName), "lastName": .string(lastName),
            "email": .string(email), "city": .string(city), "notes": .string(notes),
            "age": .int(age), "visits": .int(visits), "weight": .double(weight),
            "isActive": .bool(isActive),
        ]
        return RecordWrite(.create(.int(id), values), of: schema)
    }
}

/// Numbers from 1 to a count, all over the place.
struct Keys: Sequence, IteratorProtocol {
    let count: Int
    private var state = 1

    init(upTo count: Int) { self.count = count }

    mutating func next() -> Int? {
        state = (state &* 48_271) % 0x7fff_ffff
        return state % count + 1
    }
}
