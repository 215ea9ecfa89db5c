import Foundation
import ModelKit

// A person of ten properties, one of them an object, as a model and as a Codable class.

final class Address: Model {
    let street = Field<String>()
    let city = Field<String>()
    let zip = Field<String>()
}

final class Person: Model {
    let id = Field<Int>()
    let firstName = Field<String>()
    let lastName = Field<String>()
    let email = Field<String>()
    let age = Field<Int>()
    let weight = Field<Double>()
    let isActive = Field<Bool>()
    let notes = Field<String>()
    let tags = Field<String>()*
    let address = ModelField<Address>()
}

/// The same with rules, of which every instance has its own.
final class CheckedPerson: Model {
    let id = Field<Int>()
    let firstName = Field<String>().require([.notBlank, .length(1...40)])
    let lastName = Field<String>().require([.notBlank, .length(1...40)])
    let email = Field<String>().require(.email)
    let age = Field<Int>().require(.range(0...150))
    let weight = Field<Double>()
    let isActive = Field<Bool>()
    let notes = Field<String>()
    let tags = Field<String>()*
    let address = ModelField<Address>()
}

final class CodableAddress: Codable {
    var street = "12 Long Street Name"
    var city = "Oslo"
    var zip = "0150"
}

final class CodablePerson: Codable {
    var id: Int
    var firstName: String
    var lastName: String
    var email: String
    var age: Int
    var weight: Double
    var isActive: Bool
    var notes: String
    var tags: [String]
    var address: CodableAddress

    init(_ number: Int) {
        id = number
        firstName = "First\(number)"
        lastName = "Last\(number % 97)"
        email = "someone.\(number)@example.com"
        age = number % 90
        weight = Double(number % 700) / 7
        isActive = number % 2 == 0
        notes = String(repeating: "Some text that is a little longer. ", count: 4)
        tags = ["red", "green", "blue"]
        address = CodableAddress()
    }

    /// The JSON of so many people, of 390 bytes each.
    static func json(_ count: Int) throws -> Data {
        try JSONEncoder().encode((0..<count).map(CodablePerson.init))
    }
}
