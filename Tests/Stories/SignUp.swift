import Foundation
import ModelKit
import ModelKitJSONSchema

/// Somebody who has signed up.
final class Member: Model {
    let id = Field<String>()
    let username = Field<String>().require(.notBlank).unique()
    let email = Field<String>().require(.email).unique()
    let birthYear = Field<Int>()
}

/// What is typed into the form.
final class SignUp: Model {
    let username = Field<String>(name: "Benutzername").require(.notBlank).require(.length(3...20))
    let email = Field<String>(name: "E-Mail").require(.notBlank).require(.email)
    let birthYear = Field<Int>(name: "Geburtsjahr").require(.required).require(.range(1900...2020))
    let password = Field<String>(name: "Passwort").require(.notBlank).require(.minLength(8))
    let repeated = Field<String>(name: "Wiederholung")

    func check(_ report: inout ModelReport) {
        report.require(repeated, "stimmt nicht überein") { repeated.value == password.value }
    }
}

enum SignUpStory {
    static func run(_ phase: String, _ arguments: [String]) async throws {
        switch (phase, arguments.first) {
        case ("form", let path?): try await form(path, arguments.dropFirst())
        case ("schema", _): say(JSONSchema(SignUp.self).description)
        case ("many", let path?): try await many(path, from: Int(arguments.last ?? "") ?? 0)
        default: throw Usage()
        }
    }

    private static let german = MessageCatalogue { code, parameters in
        switch code {
        case "notBlank", "required": "fehlt"
        case "email": "ist keine E-Mail-Adresse"
        case "minLength": "braucht mindestens \(parameters["min"] ?? "") Zeichen"
        case "maxLength": "darf höchstens \(parameters["max"] ?? "") Zeichen haben"
        case "integer": "ist keine Zahl"
        case "taken", "unique", "alreadyExists": "ist schon vergeben"
        default: nil
        }
    }

    private static func form(_ place: String, _ typed: some Sequence<String>) async throws {
        let opened = try OpenedStore(place)
        let store = opened.store
        let signUp = SignUp()
        // A name that is taken is reported before the form is sent.
        signUp.username.require(
            AsyncRule("is taken", code: "taken") { name in
                try await store.list(Member.self, where: \.username == name).value.isEmpty
            }
        )
        // The year is typed as text.
        let year = Field<String>()
        year.bind(to: signUp.birthYear, by: .trimmed.orNil.then(.integer))
        for text in typed {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Usage() }
            if parts[0] == "birthYear" {
                year.value = String(parts[1])
            } else {
                signUp[String(parts[0])] = String(parts[1])
            }
        }
        let form = Form().add(signUp).add(year, named: "birthYear")
        try await MessageCatalogue.withCurrent(german) {
            do {
                let member = Member()
                try await form.submit {
                    member.username.value = signUp.username.value
                    member.email.value = signUp.email.value
                    member.birthYear.value = signUp.birthYear.value
                    _ = try await store.create(member).value
                }
                say("welcome \(member.identifier?.description ?? "")")
            } catch {
                for issue in form.issues + [] { say("\(issue)") }
                for issue in form.generalIssues { say("\(issue)") }
                if form.issues.isEmpty, form.generalIssues.isEmpty { throw error }
            }
        }
        try await opened.close()
    }

    /// Until it is killed.
    private static func many(_ place: String, from first: Int) async throws {
        let store = try OpenedStore(place).store
        for number in first... {
            let member = Member()
            member.id.value = "m\(number)"
            member.username.value = "member\(number)"
            member.email.value = "member\(number)@example.com"
            member.birthYear.value = 1990
            _ = try await store.create(member).value
            say("m\(number)")
        }
    }
}
