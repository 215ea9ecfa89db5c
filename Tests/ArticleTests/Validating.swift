import Foundation
import ModelKit
import ModelKitJSONSchema
import Testing

// In types it could be that of the tests, too.
import struct ModelKit.Issue

@Suite struct Validating {
    @Test func `the examples of the article run`() async {
        let log = Log<String>()

        let age = Field<Int>(name: "Age").require(.min(18)).require("must be even") { $0 % 2 == 0 }
        age.value = 17
        print(age.validate())
        // invalid(["must be greater than or equal to 18", "must be even"])
        #expect(age.issues.map(\.code) == ["min", "custom"])
        age.value = 18
        print(age.validationState)  // unknown: it was set since
        #expect(age.validationState == .unknown)

        age.value = 3
        age.validate()
        print(age.issues.map(\.code))  // ["min", "custom"]
        #expect(age.issues.map(\.code) == ["min", "custom"])

        let tags = Field<String>().require(.notBlank)*
        tags.value = ["red", ""]
        print(tags.validate())  // invalid(["[1] cannot be blank"])
        #expect(tags.validationState == .invalid(["[1] cannot be blank"]))

        age.value = 20
        age.addValidationError("is not what we have on file")
        print(age.validate())  // invalid(["is not what we have on file"])
        #expect(age.validationState == .invalid(["is not what we have on file"]))

        let text = Field<String>()
        let years = Field<Int>()
        text.bind(to: years, by: .trimmed.orNil.then(.integer).then(.range(0...150)))
        text.value = " 42"
        print(years.value ?? 0)  // 42
        #expect(years.value == 42)
        text.value = "4 2"
        print(text.validate(), years.value ?? 0)  // invalid(["must be a whole number"]) 42
        #expect(text.validationState == .invalid(["must be a whole number"]))
        years.value = 43
        print(text.value ?? "")  // 43
        #expect(text.value == "43")

        let trip = Trip()
        trip.start.value = 9
        trip.end.value = 8
        print(trip.validate())  // invalid(["end must not be before the start"])
        #expect(trip.validate() == .invalid(["end must not be before the start"]))

        let summary = Field<String>(value: " ")
        let publishable: Rule<String> = .notBlank
        print(summary.validate())  // valid
        #expect(summary.validationState == .valid)
        print(publishable.issues(for: summary.value).map(\.message))  // ["cannot be blank"]
        #expect(publishable.issues(for: summary.value).map(\.message) == ["cannot be blank"])

        let email = Field<String>().require(.email).validates(.onChange)
        let observation = email.observeValidationState { state in log.add("\(state)") }
        email.value = "ada"
        email.value = "ada@example.com"
        observation.cancel()
        print(log.entries)
        // ["unknown", "invalid([\"must be a valid email address\"])", "valid"]
        #expect(
            log.entries == ["unknown", "invalid([\"must be a valid email address\"])", "valid"]
        )

        let first = Field<Int>(value: 3)
        let last = Field<Int>().require("must not be before the first") { $0 >= first.value ?? 0 }
        let following = last.observeValidationState { state in print(state) }
        last.value = 7
        first.value = 9
        print(last.validationState)  // invalid(["must not be before the first"])
        #expect(last.validationState == .invalid(["must not be before the first"]))
        following.cancel()

        let taken: Set = ["ada"]
        let nick = Field<String>().require(.notBlank).require(
            AsyncRule("is taken", code: "taken", debounce: .milliseconds(1)) { name in
                try await Task.sleep(for: .milliseconds(1))
                return !taken.contains(name)
            }
        )
        nick.value = "ada"
        print(nick.validate())  // unknown
        print(await nick.validated())  // invalid(["is taken"])
        #expect(await nick.validated() == .invalid(["is taken"]))

        let form = Registration()
        print(form.$email.errors.map(\.message))  // ["is required"]
        form.$email.observe { errors in log.add("\(errors.count)") }
        form.email = "ada@example.com"
        #expect(log.entries.suffix(2) == ["1", "0"])

        let german = MessageCatalogue { code, parameters in
            switch code {
            case "required": "ist erforderlich"
            case "min": "muss mindestens \(parameters["min"] ?? 0) sein"
            default: nil
            }
        }
        MessageCatalogue.withCurrent(german) {
            print(Rule<Int>.min(18).issues(for: 3).map(\.message))  // ["muss mindestens 18 sein"]
            #expect(Rule<Int>.min(18).issues(for: 3).first?.message == "muss mindestens 18 sein")
        }
    }

    final class Shelf: Model {
        let id = Field<String>()
        let items = ModelField<Item>(inverse: \.shelf)*

        init() { linkFields() }

        func check(_ report: inout ModelReport) {
            report.require("needs its items loaded") { items.loadState == .loaded }
            report.require(items, "is not reported") { items.loadState == .loaded }
        }
    }

    final class Item: Model {
        let id = Field<String>()
        let shelf = ModelField<Shelf>(foreignKey: true)

        init() { linkFields() }
    }

    @Test func `a check demands that a relation is loaded`() async throws {
        let store = MemoryModelStore()
        do { try await store.create(Shelf()) }
        let shelf = try await store.list(Shelf.self)[0]
        #expect(shelf.validate() == .invalid(["needs its items loaded"]))
        try await store.load(shelf, \.items)
        #expect(shelf.validate() == .valid)
    }

    @Test func `what is thrown has its type`() {
        do {
            try Rule<String>.email.validate(value: "ada")
        } catch {
            print(error.message)  // must be a valid email address
            #expect(error.message == "must be a valid email address")
        }
    }

    @Test func `the schema of the article says what it cannot say`() throws {
        let schema = JSONSchema(SignUp.self)
        let text = String(decoding: try schema.jsonData(), as: UTF8.self)
        print(text.contains("\"minimum\": 18"))  // true
        for issue in schema.notRepresented { print(issue) }
        // name has a length in characters, a schema's is in Unicode scalars
        // code has a rule that only its code knows
        #expect(text.contains("\"minimum\": 18"))
        #expect(
            schema.notRepresented.map(\.description) == [
                "name has a length in characters, a schema's is in Unicode scalars",
                "code has a rule that only its code knows",
            ]
        )
    }
}

final class SignUp: Model {
    let name = Field<String>(name: "Name").require(.length(3...20))
    let age = Field<Int>().require(.required).require(.min(18))
    let code = Field<String>().require("is not ours") { $0.hasPrefix("MK") }
}

final class Trip: Model {
    let start = Field<Int>().require(.required)
    let end = Field<Int>()

    func check(_ report: inout ModelReport) {
        report.require(end, "must not be before the start") {
            (start.value ?? .min) <= (end.value ?? .max)
        }
    }
}

struct Registration {
    @Validated([.required, .email]) var email: String?
}

extension Validating {
    @Test @MainActor func `the further examples of the article run`() async {
        let log = Log<String>()
        let screen = MainScreen()

        let contact: Rule<String> = .notBlank.and(.email.or(.e164))
        print(contact.issues(for: " ").map(\.message))  // ["cannot be blank"]
        print(contact.isValid(value: "+4930123456"))  // true
        #expect(contact.issues(for: " ").map(\.message) == ["cannot be blank"])
        #expect(contact.isValid(value: "+4930123456"))

        let code = Field<String>().require(.length(4)).validates(.onCommit)
        code.observeValidationState(screen) { _, state in log.add("\(state)") }
        code.onMain.observeValidationState(screen) { screen, state in
            screen.isWrong = state.isInvalid
        }
        code.onMain.observeValidationStatus { status in screen.isBusy = status.isValidating }
        code.beginEditing()
        code.value = "12"
        print(code.validationMode, code.isEditing, screen.isWrong)  // onCommit true false
        #expect(code.validationMode == .onCommit && code.isEditing && !screen.isWrong)
        code.endEditing()
        print(screen.isWrong, code.validateIfNeeded().isValid)  // true false
        #expect(screen.isWrong && !code.validateIfNeeded().isValid)
        code.onMain.observeValidationState { state in screen.text = "\(state)" }
        code.observeValidationStatus { status in log.add("\(status.issues.count)") }
        for await state in code.validationStates {
            print(state)  // invalid(["length must be equal to 4"])
            #expect(state == .invalid(["length must be equal to 4"]))
            break
        }

        let isKnown = AsyncRule<String> { name in
            name == "ada" ? [] : [Issue(code: "unknown", message: "is nobody we know")]
        }
        let friend = Field<String>(value: "eve").require(
            isKnown.message("is not a friend").code("friend").when { $0 != "me" }.severity(.warning)
        )
        print(await friend.validated(), friend.issues.map(\.message))  // valid ["is not a friend"]
        #expect(friend.validationState == .valid && friend.issues.map(\.code) == ["friend"])

        let room = Field<String>(value: "blue")
        let day = Field<Int>(value: 3).require(
            AsyncRule("is booked", code: "booked") { day in room.value != "blue" || day > 7 }
                .following(room)
        )
        print(await day.validated())  // invalid(["is booked"])
        #expect(day.validationState == .invalid(["is booked"]))
        room.value = "green"
        print(await day.validated())  // valid
        #expect(day.validationState == .valid)

        let account = Registration()
        account.$email.onMain.observe { errors in screen.text = errors.first?.message ?? "" }
        print(account.$email.isValid, screen.text)  // false is required
        #expect(!account.$email.isValid && screen.text == "is required")
        do {
            try account.$email.validate()
        } catch {
            print(error.code)  // required
            #expect(error.code == "required")
        }
        for await errors in account.$email.updates {
            print(errors.map(\.code))  // ["required"]
            #expect(errors.map(\.code) == ["required"])
            break
        }

        let name = NotEmptyValidator(errorMessage: "Choose a name")
            .and(RegexValidator(regex: "[a-z]+", errorMessage: "Use small letters only"))
        print(name.issues(for: "ADA").map(\.message))  // ["Use small letters only"]
        #expect(name.issues(for: "ADA").map(\.message) == ["Use small letters only"])
        let site = EmptyValidator(errorMessage: "must be empty")
            .or(Rule.url.message("must be a URL"))
        print(site.isValid(value: ""), site.isValid(value: "x"))  // true false
        #expect(site.isValid(value: "") && !site.isValid(value: "x"))
    }
}

extension Validating {
    @Test func `rules become schemas, and schemas rules`() throws {
        let grade = JSONSchema(Rule<Int>.required && .range(1...6))
        let text = String(decoding: try grade.jsonData(), as: UTF8.self)
        print(text.contains("\"maximum\": 6"))  // true
        #expect(text.contains("\"maximum\": 6"))
        let theirs = Data(#"{"type": "string", "format": "email", "maxLength": 20}"#.utf8)
        let address = try Rule(jsonSchema: theirs, formats: .assertions)
        print(address.issues(for: "ada").map(\.message))  // ["must be a valid email address"]
        #expect(address.issues(for: "ada").map(\.code) == ["email"])
    }
}
