import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// When a form that is observed calls the checks of its models again.
@Suite struct FormLiveCheckTests {
    final class SignUp: Model {
        let password = Field<String>()
        let confirm = Field<String>()
        let newsletter = Field<Bool>()
        let limit = Field<Int>()
        let calls = Collector<Void>()

        func check(_ report: inout ModelReport) {
            calls.add(())
            report.require(confirm, "doesn't match") { password.value == confirm.value }
            report.require("is too long") { password.value?.count ?? 0 <= limit.value ?? 100 }
        }
    }

    private let model = SignUp()
    private let form = Form()

    init() {
        form.add(model)
        model.password.value = "a"
        model.confirm.value = "b"
        form.touch(model.confirm)
    }

    @Test func `an error of a check is gone once it is mended, and back once it is there again`() {
        let seen = Collector<[String]?>()
        let visible = Computed { [form] in form.visibleIssues.map(\.issue.description) }
        visible --> { seen.add($0) }
        form.validate()
        expect(seen.values.last, equals: ["confirm doesn't match"])
        model.password.value = "b"
        expect(seen.values.last, equals: [])
        expect(model.confirm.validationState == .valid && form.state == .valid)
        model.confirm.value = "c"
        expect(seen.values.last, equals: ["confirm doesn't match"])
        expect(model.confirm.validationState, equals: .invalid(["doesn't match"]))
        batch {
            model.password.value = "d"
            model.confirm.value = "d"
        }
        expect(seen.values.last, equals: [])
        model.limit.value = 0
        expect(form.state, equals: .invalid(["is too long"]))
        model.limit.value = 5
        expect(form.state, equals: .valid)
    }

    @Test func `it is called once a batch, for what it has read, and while somebody observes`() {
        form.validate()
        let unobserved = model.calls.values.count
        model.password.value = "c"
        model.confirm.value = "c"
        expect(model.calls.values.count, equals: unobserved)
        let observation = form.observeState { _ in }
        form.validate()
        let before = model.calls.values.count
        model.newsletter.value = true
        expect(model.calls.values.count, equals: before, "it has not read that")
        batch {
            model.password.value = "e"
            model.confirm.value = "f"
        }
        expect(model.calls.values.count, equals: before + 1)
        expect(form.state, equals: .invalid(["confirm doesn't match"]))
        observation.cancel()
        model.password.value = "g"
        expect(model.calls.values.count, equals: before + 1)
    }

    final class Sum: Model {
        let first = Field<Int>(value: 1)
        let total = Field<Int>()
        let isRestless: Bool

        init() { isRestless = false }

        init(isRestless: Bool) { self.isRestless = isRestless }

        func check(_ report: inout ModelReport) {
            let known = total.value ?? 0
            total.value = isRestless ? known + 1 : (first.value ?? 0) * 2
            report.require(total, "is too much") { total.value ?? 0 <= 10 }
        }
    }

    @Test(arguments: [false, true])
    func `a check that sets what it reads comes to an end`(isRestless: Bool) {
        let sum = Sum(isRestless: isRestless)
        let form = Form().add(sum)
        let observation = form.observeState { _ in }
        form.validate()
        sum.first.value = 6
        if !isRestless {
            expect(sum.total.value, equals: 12)
            expect(form.state, equals: .invalid(["total is too much"]))
        }
        observation.cancel()
    }

    final class Team: Model {
        let members = ModelField<SignUp>().requireValid()*
        let lead = ModelField<SignUp>()

        func check(_ report: inout ModelReport) {
            report.require(lead, "must have a password") { lead.value?.password.value != nil }
        }
    }

    @Test func `checks of models inside count, and what a check reads inside of them`() {
        let team = Team()
        team.members.value = [model]
        team.lead.value = SignUp()
        let form = Form().add(team)
        let observation = form.observeState { _ in }
        form.validate()
        let lead = "lead must have a password"
        expect(
            form.issues.map(\.issue.description),
            equals: ["members[0].confirm doesn't match", lead]
        )
        team.lead.value?.password.value = "x"
        expect(form.issues.map(\.issue.description), equals: ["members[0].confirm doesn't match"])
        model.confirm.value = "a"
        expect(form.issues.isEmpty)
        observation.cancel()
    }
}
