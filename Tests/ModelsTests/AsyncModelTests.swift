import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// A model with rules that take time.
private final class Account: Model {
    let id = Field<String>()
    let name = Field<String>().require(.notBlank)
        .require(AsyncRule("is taken") { $0 != "ada" })
    let email = Field<String>()
        .require(
            AsyncRule("does not answer") { address in
                if address == "?" { throw Silence() }
                return address.contains("@")
            }
        )
    let tags = Field<String>().require(AsyncRule("is unknown") { $0 == "red" })*
    let friend = ModelField<Account>().requireValid()

    func check(_ report: inout ModelReport) {
        report.require(email, "must differ from the name") { email.value != name.value }
    }
}

private struct Silence: Error {}

@Suite(.timeLimit(.minutes(10))) struct AsyncModelTests {
    @Test func `with answers missing a model is neither valid nor invalid`() async {
        let account = Account()
        account.name.value = "bob"
        expect(account.validate(), equals: .unknown)
        await expect(account.validated(), equals: .valid)
        expect(account.validate(), equals: .valid, "the answers are kept")
    }

    @Test func `what is wrong already is reported at once, and the rest is waited for`() async {
        let account = Account()
        account.name.value = "ada"
        account.email.value = "bob"
        account.tags.value = ["red", "blue"]
        let blank = Account()
        blank.name.value = " "
        account.friend.value = blank
        expect(account.validate(), equals: .invalid(["friend.name cannot be blank"]))
        await expect(
            account.validated(),
            equals: .invalid([
                "name is taken", "email does not answer", "tags[1] is unknown",
                "friend.name cannot be blank",
            ])
        )
    }

    @Test func `two fields wait for the model that both have`() async {
        final class Pair: Model {
            let left = ModelField<Account>().requireValid()
            let right = ModelField<Account>().requireValid()
        }
        let (pair, friend) = (Pair(), Account())
        friend.name.value = "bob"
        (pair.left.value, pair.right.value) = (friend, friend)
        expect(pair.validate(), equals: .unknown)
        expect(pair.left.validationState, equals: .unknown)
        expect(pair.right.validationState, equals: .unknown)
        await expect(pair.validated(), equals: .valid)
        expect(pair.right.validationState, equals: .valid)
    }

    @Test func `a model inside is waited for where it has to be valid`() async {
        let (account, friend) = (Account(), Account())
        account.name.value = "bob"
        friend.name.value = "ada"
        account.friend.value = friend
        expect(account.validate(), equals: .unknown)
        await expect(account.validated(), equals: .invalid(["friend.name is taken"]))
    }

    @Test func `a field that the check of the model refuses is not asked about`() async {
        let account = Account()
        account.name.value = "bob"
        account.email.value = "bob"
        await expect(account.validated(), equals: .invalid(["email must differ from the name"]))
        account.email.value = "bob@example.com"
        await expect(account.validated(), equals: .valid)
    }

    @Test func `what could not be checked ends the wait`() async {
        let account = Account()
        account.name.value = "bob"
        account.email.value = "?"
        await expect(account.validated(), equals: .invalid(["email could not be checked"]))
        expect(account.validate(), equals: .unknown, "it is asked again")
    }

    @Test func `what is wrong now is known before anything is kept, and nobody is asked`() async {
        let (account, friend) = (Account(), Account())
        account.name.value = "ada"
        account.email.value = "ada"
        account.friend.value = friend
        friend.name.value = " "
        friend.friend.value = account
        expect(
            account.currentIssues().map(\.description),
            equals: ["email must differ from the name", "friend.name cannot be blank"]
        )
        expect(!account.isCurrentlyValid)
        for field in [account.name, account.email, friend.name] {
            expect(field.validationState, equals: .unknown)
            expect(!field.isValidating)
        }
        friend.name.value = "bob"
        account.email.value = nil
        expect(account.isCurrentlyValid)
        await account.validated()
        expect(account.currentIssues().map(\.description), equals: ["name is taken"])
    }

    @Test func `a model and its fields are freed while they ask`() async {
        weak var freed: Account?
        weak var freedName: Field<String>?
        do {
            let account = Account()
            (freed, freedName) = (account, account.name)
            account.name.require(
                AsyncRule { _ in
                    try await Task.sleep(for: .seconds(3600))
                    return true
                }
            )
            account.name.value = "bob"
            expect(account.validate(), equals: .unknown)
        }
        expect(freed, equals: nil)
        expect(freedName == nil)
    }

    final class Named: Model {
        let name = Field<String>(value: "Ada").require(.notBlank)
    }

    final class Owner: Model {
        let named = ModelField<Named>().requireValid()
    }

    @Test func `whoever is notified of a validation sees the model as it is`() {
        let model = Named()
        let seen = Collector<Bool>()
        let observation = model.name.observeValidationState { [unowned model] _ in
            seen.add(model.isCurrentlyValid)
        }
        model.name.value = ""
        model.validate()
        observation.cancel()
        expect(seen.values.last, equals: false)
    }

    @Test func `to ask how a field of models is now reports nothing to its model`() {
        let owner = Owner()
        let named = Named()
        named.name.value = ""
        owner.named.value = named
        expect(!owner.named.isCurrentlyValid)
        expect(named.name.validationState, equals: .unknown)
        expect(!owner.isCurrentlyValid)
        expect(named.name.validationState, equals: .unknown)
    }
}
