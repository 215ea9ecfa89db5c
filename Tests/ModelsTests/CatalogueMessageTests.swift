import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private let german = MessageCatalogue { code, parameters in
    switch code {
    case "required": "ist erforderlich"
    case "min": "muss mindestens \(parameters["min"]?.description ?? "?") sein"
    case "type": "hat die falsche Art"
    default: nil
    }
}

private final class Ticket: Model {
    let seats = Field<Int>().require(.required && .min(2))
    let note = Field<String>()

    func check(_ report: inout ModelReport) {
        report.require(note, "must not be empty") { note.value != "" }
        report.require(note, "must not be blank", code: "required") { note.value != " " }
    }
}

private struct Order: PartialInitializable {
    var seats = 0
    init(from partial: Partial<Order>) throws { seats = try partial.value(for: \.seats) }
}

/// What people read of models and forms, in the language of whoever reads it.
struct CatalogueMessageTests {
    @Test func `a model's messages`() {
        let ticket = Ticket()
        expect(ticket.validate(), equals: .invalid(["seats is required"]))
        MessageCatalogue.withCurrent(german) {
            expect(ticket.validate(), equals: .invalid(["seats ist erforderlich"]))
            expect(ticket.seats.validationState, equals: .invalid(["ist erforderlich"]))
            ticket.seats.value = 1
            ticket.note.value = ""
            expect(
                ticket.validate(),
                equals: .invalid(["seats muss mindestens 2 sein", "note must not be empty"])
            )
            ticket.note.value = " "
            expect(
                ticket.validationIssues().map(\.description),
                equals: ["seats muss mindestens 2 sein", "note ist erforderlich"]
            )
        }
        expect(
            ticket.note.validationState,
            equals: .invalid(["must not be blank"]),
            "what was found once is read in another language"
        )
    }

    @Test func `a form's messages`() {
        let validation = Partial<Order>.Validation(.value(\.seats, "seats", .min(2)))
        var partial = Partial<Order>()
        let missing = validation.report(on: partial)
        partial.seats = 1
        let few = validation.report(on: partial)
        MessageCatalogue.withCurrent(german) {
            expect(missing.issues.map(\.description), equals: ["seats ist erforderlich"])
            expect(few.issues.map(\.description), equals: ["seats muss mindestens 2 sein"])
        }
        expect(few.issues.map(\.message), equals: ["must be greater than or equal to 2"])
    }

    @Test func `the text of an error that is caught`() throws {
        let error = try #require(throws: ImportError.self) {
            try Ticket(dictionaryValue: ["seats": "two"])
        }
        MessageCatalogue.withCurrent(german) {
            expect(error.errorDescription, equals: "seats hat die falsche Art")
        }
        expect(error.errorDescription, equals: "seats must be an integer, not a string")
    }
}
