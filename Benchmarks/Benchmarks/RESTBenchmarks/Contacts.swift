import Foundation
import ModelKit
import ModelKitREST

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
        model.id.value = plain.id
        model.firstName.value = plain.firstName
        model.lastName.value = plain.lastName
        model.email.value = plain.email
        model.city.value = plain.city
        model.notes.value = plain.notes
        model.age.value = plain.age
        model.visits.value = plain.visits
        model.weight.value = plain.weight
        model.isActive.value = plain.isActive
        return model
    }
}

/// The same as plain values.
struct PlainContact: Codable, Sendable {
    var id: Int
    var firstName: String
    var lastName: String
    var email: String
    var city: String
    var notes: String
    var age: Int
    var visits: Int
    var weight: Double
    var isActive: Bool

    init(_ number: Int) {
        id = number
        firstName = "First\(number)"
        lastName = "Last\(number % 97)"
        email = "someone.\(number)@example.com"
        city = "City \(number % 1000)"
        notes = "Some text that is a little longer than a small string is."
        age = number % 90
        visits = number * 7 % 1009
        weight = Double(number % 700) / 7
        isActive = number % 2 == 0
    }
}

/// A store whose transport has its answer ready.
final class RemoteContacts: RemoteModelStore {
    let origin = "https://api.example.com/v1"
    let session = StoreSession()
    let transport: any HTTPTransport

    init(answering status: Int) {
        let body = (try? Contact.filled(7).jsonData()) ?? Data()
        let response = HTTPResponse(
            status: status,
            headers: ["Content-Type": "application/json"],
            body: body
        )
        transport = Ready(answer: .value(response))
    }

    private struct Ready: HTTPTransport {
        let answer: Promise<HTTPResponse>

        func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> { answer }
    }
}
