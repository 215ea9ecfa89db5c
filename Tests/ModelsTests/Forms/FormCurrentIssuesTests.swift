import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// What is wrong with a form, asked without anybody noticing.
@Suite struct FormCurrentIssuesTests {
    final class Trip: Model {
        let title = Field<String>(name: "Title").require(.notBlank)
        let start = Field<Int>()
        let end = Field<Int>()

        func check(_ report: inout ModelReport) {
            report.require(end, "must not be before the start") {
                guard let start = start.value, let end = end.value else { return true }
                return start <= end
            }
            report.require("is too short") { start.value != end.value }
        }
    }

    @Test func `it is what a validation would find, and changes no state`() {
        let trip = Trip()
        (trip.start.value, trip.end.value) = (2, 1)
        let email = Field<String>().require(.notBlank && .minLength(2).severity(.warning))
        let draft = Trip().draft()
        let form = Form().add(trip, named: "trip").add(email, named: "email")
            .add(draft, named: "draft")
        let issues = form.currentIssues()
        expect(
            issues.map(\.description),
            equals: [
                "Title cannot be blank", "trip.end must not be before the start",
                "email cannot be blank", "Title cannot be blank", "draft is too short",
            ]
        )
        expect(!form.isCurrentlyValid)
        expect(form.state, equals: .unknown)
        expect(form.issues.isEmpty)
        for field in [trip.title, email, draft.title] {
            expect(field.validationState, equals: .unknown)
        }
        form.validate()
        expect(form.issues.map(\.issue), equals: issues)
        (trip.title.value, trip.end.value) = ("a", 3)
        (draft.title.value, draft.start.value) = ("b", 1)
        email.value = "a"
        expect(form.currentIssues().map(\.path), equals: [["email"]], "a warning")
        expect(form.isCurrentlyValid)
        expect(form.state, equals: .unknown)
    }

    @Test func `a state that is known stays, and nobody is notified`() {
        let email = Field<String>().require(.notBlank)
        let form = Form(["email": email])
        email.value = "a"
        form.validate()
        let seen = Collector<ValidationState>()
        email.validates(.onDemand).observeValidationState { seen.add($0) }
        form.observeState { seen.add($0) }
        expect(form.currentIssues(), equals: [])
        expect(seen.values, equals: [.valid, .valid])
        email.value = ""
        expect(!form.isCurrentlyValid)
        expect(email.validationState, equals: .unknown)
        expect(Set(seen.values.dropFirst(2)), equals: [.unknown])
    }

    @Test func `what is not enabled is not asked`() {
        let form = Form().add(Trip(), named: "trip").add(Trip(), named: "other")
        form.setEnabled(false, for: "trip")
        expect(form.currentIssues().map(\.path), equals: [["other", "title"], ["other"]])
    }

    @Test func `what others say of fields counts until they are set, and of the whole not`() {
        let email = Field<String>(value: "a").require(.notBlank)
        let form = Form(["email": email])
        form.apply([Issue(path: ["email"], message: "is taken"), Issue(message: "is down")])
        expect(form.currentIssues().map(\.description), equals: ["email is taken"])
        email.value = "b"
        expect(form.isCurrentlyValid)
        expect(form.generalIssues.count, equals: 1)
    }

    final class Address: Model {
        let street = Field<String>()
    }

    final class Owner: Model {
        let address = ModelField<Address>()
    }

    @Test func `what others say of a model inside, and of its fields, counts until those are set`()
    {
        let owner = Owner()
        let address = Address()
        owner.address.value = address
        let form = Form().add(owner, named: "owner")
        form.apply([
            Issue(path: ["owner", "address"], message: "is unknown"),
            Issue(path: ["owner", "address", "street"], message: "is misspelt"),
        ])
        expect(
            form.currentIssues().map(\.description),
            equals: [
                "owner.address.street is misspelt", "owner.address is unknown",
            ]
        )
        address.street.value = "High Street"
        expect(form.currentIssues(), equals: [])
        expect(
            owner.address.validationState,
            equals: .invalid(["is unknown"]),
            "it stays as it was"
        )
    }

    @Test func `a computed field notifies when it differs`() {
        let email = Field<String>().require(.notBlank)
        let form = Form(["email": email])
        let canSave = Computed { form.isCurrentlyValid }
        let seen = Collector<Bool?>()
        canSave --> { seen.add($0) }
        email.value = "a"
        form.setEnabled(false, for: "email")
        email.value = ""
        form.setEnabled(true, for: "email")
        expect(seen.values, equals: [false, true, false])
        expect(email.validationState, equals: .unknown)
    }

    @Test func `a computed field reports what others say, and takes back`() {
        let email = Field<String>(value: "a").require(.notBlank)
        let form = Form(["email": email])
        let canSave = Computed { form.isCurrentlyValid }
        let seen = Collector<Bool?>()
        canSave --> { seen.add($0) }
        email.addValidationError("is taken")
        email.value = "b"
        form.apply([Issue(path: ["email"], message: "is taken")])
        form.discard()
        email.addValidationError("is odd")
        email.value = email.value
        expect(seen.values, equals: [true, false, true, false, true, false, true])
        email.value = ""
        expect(email.validationState, equals: .unknown, "to ask is not to listen")
    }

    @Test func `a computed field reports what async rules answer`() async {
        let nick = Field<String>(value: "ada").require(AsyncRule("is taken") { $0 != "ada" })
        let form = Form(["nick": nick])
        let canSave = Computed { form.isCurrentlyValid }
        let seen = Collector<Bool?>()
        canSave --> { seen.add($0) }
        await expect(nick.validated().isInvalid)
        expect(seen.values, equals: [true, false])
        nick.value = "grace"
        expect(seen.values, equals: [true, false, true])
        await expect(nick.validated(), equals: .valid)
        expect(seen.values, equals: [true, false, true])
    }

    @Test func `no rule of a model inside is asked that nobody asks to be valid`() {
        let owner = Owner()
        let address = Address()
        let asked = Collector<String?>()
        address.street.require { value in
            asked.add(value)
            return false
        }
        address.street.value = "High Street"
        owner.address.value = address
        let form = Form().add(owner)
        form.apply([Issue(path: ["address", "street"], message: "is misspelt")])
        let issues = Computed { form.currentIssues().map(\.description) }
        let seen = Collector<[String]?>()
        issues --> { seen.add($0) }
        address.street.value = "Low Street"
        form.apply([Issue(path: ["address", "street"], message: "is too low")])
        let low = "address.street is too low"
        expect(seen.values, equals: [["address.street is misspelt"], [], [low]])
        expect(asked.values, equals: [])
        address.street.validate()
        expect(seen.values.last, equals: ["address.street is invalid", low])
    }

    final class Home: Model {
        let street = Field<String>()
        let town = Field<String>()
        func check(_ report: inout ModelReport) {
            report.require("is unknown") { street.value != town.value }
        }
    }

    final class Household: Model {
        let homes = ModelField<Home>().requireValid()*
        let main = ModelField<Home>().requireValid()
    }

    @Test func `what a rule says stays when others have said the same of what was before`() {
        let household = Household()
        let home = Home()
        home.street.value = "Leeds"
        household.main.value = home
        let form = Form().add(household)
        form.validate()
        form.apply([Issue(path: ["main"], message: "is unknown")])
        expect(form.issues.map(\.description), equals: ["main is unknown"])
        home.town.value = "Leeds"
        expect(
            form.currentIssues().map(\.description),
            equals: ["main is unknown"],
            "now by the rule"
        )
        home.town.value = "York"
        expect(form.currentIssues(), equals: [])
        home.town.value = "Leeds"
        household.main.validate()
        expect(form.issues.map(\.description), equals: ["main is unknown"])
        home.town.value = "York"
        expect(form.issues.isEmpty)
        expect(form.state, equals: .unknown)
        expect(form.validate(), equals: .valid)
    }
}
