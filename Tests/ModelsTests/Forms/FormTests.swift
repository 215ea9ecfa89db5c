import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// A field of each kind of part: a model, a field and a draft.
private struct Booking {
    let trip = Trip.sample()
    let person = Person()
    let draft: ModelDraft<Person>
    let email = Field<String>(name: "E-mail").require(.notBlank)
    let form: Form

    init() {
        person.name.value = "Ann"
        draft = person.draft()
        form = Form().add(trip, named: "trip").add(email, named: "email").add(draft)
    }
}

@Suite struct FormTests {
    @Test func `it is unknown until it is validated, and when a field is set`() {
        let booking = Booking()
        let form = booking.form
        expect(form.state, equals: .unknown)
        booking.email.value = "a"
        expect(form.validate(), equals: .valid)
        expect(form.state, equals: .valid)
        booking.trip.end.value = 8
        expect(form.state, equals: .unknown)
        booking.email.value = ""
        booking.email.validate()
        expect(form.state, equals: .invalid(["E-mail cannot be blank"]), "invalid before unknown")
        expect(Form().state, equals: .valid)
    }

    @Test func `what is wrong is reported in the order of the form, by name, each once`() {
        let booking = Booking()
        booking.draft.name.value = ""
        booking.trip.title.value = ""
        booking.trip.end.value = 0
        booking.trip.stops.append(" ")
        booking.trip.price.value = 1_000
        let form = booking.form
        let texts = [
            "Title cannot be blank", "End must not be before the start", "stops[2] cannot be blank",
            "trip is too dear", "E-mail cannot be blank", "Name cannot be blank",
        ]
        expect(form.validate(), equals: .invalid(texts))
        expect(form.issues.map(\.description), equals: texts)
        expect(form.summary, equals: texts.joined(separator: "\n"))
        expect(
            form.issues.map(\.path),
            equals: [
                ["trip", "info", "title"], ["trip", "end"], ["trip", "stops", 2], ["trip"],
                ["email"], ["name"],
            ]
        )
        expect(form.issues[3].field == nil)
        expect(form.issues[3].label, equals: nil)
        expect(form.firstInvalid?.field === booking.trip.title)
        booking.trip.title.value = "Rome"
        expect(form.firstInvalid?.field === booking.trip.end)
        expect(form.issues.map(\.description), equals: [texts[1], texts[2], texts[4], texts[5]])
    }

    @Test func `what a model says as a whole is reported until one of its fields is set`() {
        let trip = Trip.sample()
        trip.price.value = 1_000
        let form = Form().add(trip)
        expect(form.validate(), equals: .invalid(["is too dear"]))
        trip.price.value = 10
        expect(form.state, equals: .unknown)
        expect(form.issues.isEmpty)
        expect(form.validate(), equals: .valid)
    }

    class Parcel: ModelObject, @unchecked Sendable {
        let weight = Field<Int>(value: 1)
        override func check(_ report: inout ModelReport) {
            super.check(&report)
            if weight.value == 9 { report.require("is too heavy") { false } }
        }
    }

    @Test func `an object that checks itself on a condition is reported as a whole`() {
        let parcel = Parcel()
        let form = Form().add(parcel)
        expect(form.validate(), equals: .valid)
        parcel.weight.value = 9
        parcel.weight.validate()
        expect(form.state, equals: .unknown)
        expect(form.validate(), equals: .invalid(["is too heavy"]))
        parcel.weight.value = 2
        parcel.weight.validate()
        expect(form.state, equals: .unknown)
        expect(form.validate(), equals: .valid)
    }

    @Test func `a warning is reported, and is no error`() {
        let name = Field<String>(name: "Name").require(.minLength(3).severity(.warning))
        let age = Field<Int>().require(.min(18))
        let form = Form(["name": name, "age": age])
        name.value = "Al"
        expect(form.validate(), equals: .valid)
        expect(form.issues.map(\.issue.severity), equals: [.warning])
        expect(form.firstInvalid == nil)
        expect(form.summary.isEmpty)
        age.value = 3
        form.validate()
        expect(form.firstInvalid?.path, equals: ["age"])
        expect(form.summary, equals: "age must be greater than or equal to 18")
    }

    final class Span: Model {
        let start = Field<Int>()
        let end = Field<Int>()

        func check(_ report: inout ModelReport) {
            report.require("must not end before its start") {
                guard let start = start.value, let end = end.value else { return true }
                return start <= end
            }
        }
    }

    final class Plan: Model {
        let spans = ModelField<Span>().requireValid()*
        let main = ModelField<Span>().requireValid()

        func check(_ report: inout ModelReport) {
            report.require("is too long") {
                (spans.value ?? []).count { $0.end.value ?? 0 > 9 } == 0
            }
        }
    }

    @Test func `what a model inside says as a whole is unknown once that is set`() {
        let plan = Plan()
        let span = Span()
        (span.start.value, span.end.value) = (2, 1)
        plan.spans.value = [Span(), span]
        plan.main.value = span
        let form = Form().add(plan)
        expect(form.validate().isInvalid)
        expect(form.issues.map(\.path), equals: [["spans", 1], ["main"]])
        span.end.value = 3
        expect(form.issues.isEmpty)
        expect(form.state, equals: .unknown)
        plan.spans.addValidationError(Issue(path: [1], message: "is closed"))
        expect(form.issues.map(\.issue.message), equals: ["is closed"], "others' words stay")
        span.end.value = 1
        plan.main.validate()
        expect(form.issues.map(\.path).contains(["main"]), "also validated by others")
        expect(form.validate().isInvalid)
        expect(form.issues.map(\.issue.message).count, equals: 3)
    }

    @Test func `what a model says as a whole is unknown once a model inside is set`() {
        let plan = Plan()
        let span = Span()
        span.end.value = 10
        plan.spans.value = [span]
        let form = Form().add(plan)
        expect(form.validate(), equals: .invalid(["is too long"]))
        span.end.value = 9
        expect(form.state, equals: .unknown)
        expect(form.issues.isEmpty)
        expect(form.validate(), equals: .valid)
    }

    // MARK: Dirty and touched

    @Test func `dirty is what differs from when it was added, and draft from base`() throws {
        let booking = Booking()
        let form = booking.form
        let seen = Collector<Bool?>()
        let dirty = Computed { form.isDirty }
        dirty --> { seen.add($0) }
        expect(!form.isDirty)
        booking.email.value = "a"
        booking.draft.name.value = "Bob"
        booking.trip.stops.append("Pisa")
        expect(form.changes, equals: [["trip", "stops"], ["email"], ["name"]])
        booking.email.value = nil
        booking.trip.stops.remove(at: 2)
        expect(form.changes, equals: [["name"]])
        booking.draft.name.value = "Ann"
        expect(!form.isDirty)
        expect(seen.values, equals: [false, true, false])
    }

    @Test func `touched is what was touched, in the order of the form`() {
        let booking = Booking()
        let form = booking.form
        booking.email.value = "x"
        expect(form.touched, equals: [])
        form.touch(booking.draft.age)
        form.touch(booking.email)
        form.touch(Field<Int>())
        expect(form.touched, equals: [["email"], ["age"]])
        expect(form.isTouched(booking.email))
        expect(!form.isTouched(booking.draft.name))
    }

    @Test func `only what was touched is visible until somebody submits`() async {
        let booking = Booking()
        let form = booking.form
        booking.draft.name.value = ""
        booking.trip.price.value = 1_000
        form.validate()
        expect(form.issues.count, equals: 3)
        expect(form.visibleIssues.isEmpty)
        form.touch(booking.draft.name)
        form.apply([Issue(message: "is down")])
        expect(form.visibleIssues.map(\.description), equals: ["Name cannot be blank", "is down"])
        _ = try? await form.submit {}
        expect(form.visibleIssues.count, equals: 3)
    }

    @Test func `discard sets everything back and forgets what was said`() async {
        let booking = Booking()
        let form = booking.form
        booking.email.value = "a"
        booking.draft.name.value = ""
        booking.trip.end.value = 0
        form.touch(booking.email)
        _ = try? await form.submit {}
        form.apply([Issue(message: "down"), Issue(path: ["trip", "start"], message: "is odd")])
        form.discard()
        expect(!form.isDirty)
        expect(form.issues.isEmpty)
        expect(form.generalIssues.isEmpty)
        expect(form.touched, equals: [])
        expect(form.submitCount, equals: 0)
        expect(booking.email.value, equals: nil)
        expect(booking.draft.name.value, equals: "Ann")
        expect(booking.trip.end.value, equals: 9)
    }

    // MARK: Enabled

    @Test func `what is not enabled is neither validated nor reported`() {
        let booking = Booking()
        let form = booking.form
        booking.draft.name.value = ""
        booking.trip.price.value = 1_000
        form.validate()
        expect(form.issues.count, equals: 3)
        form.setEnabled(false, for: "trip")
        form.setEnabled(false, for: booking.draft.name)
        expect(form.issues.map(\.path), equals: [["email"]])
        booking.email.value = "a"
        expect(form.validate(), equals: .valid)
        form.apply([Issue(path: ["name"], message: "is taken")])
        expect(
            form.generalIssues.map(\.description),
            equals: ["name is taken"],
            "nobody else shows it"
        )
        form.apply([])
        form.setEnabled(true, for: "trip")
        expect(form.validate(), equals: .invalid(["trip is too dear"]))
    }

    // MARK: What others say

    @Test func `an issue is reported at the field at its path until that is set`() throws {
        let booking = Booking()
        let form = booking.form
        booking.email.value = "a"
        form.validate()
        form.apply([
            Issue(code: "unique", path: ["email"], message: "is taken"),
            Issue(path: try FieldPath(jsonPointer: "/trip/stops/1"), message: "is closed"),
            Issue(path: ["trip", "info", "title"], message: "is rude"),
            Issue(path: ["trip", "nothing"], message: "is unknown"),
            Issue(message: "is down"),
        ])
        expect(booking.email.issues.map(\.code), equals: ["unique"])
        expect(
            form.issues.map(\.description),
            equals: [
                "Title is rude", "stops[1] is closed", "E-mail is taken",
                "trip.nothing is unknown", "is down",
            ]
        )
        expect(
            form.generalIssues.map(\.description),
            equals: ["trip.nothing is unknown", "is down"]
        )
        expect(form.state.isInvalid)
        booking.trip.title.value = "Pisa"
        expect(form.issues.count, equals: 4, "only its own is gone")
        form.validate()
        expect(form.issues.count, equals: 4, "they outlive a validation")
        form.apply([])
        expect(form.generalIssues.isEmpty)
        booking.email.value = "b"
        booking.trip.stops.value = ["Bern", "Pisa"]
        expect(form.validate(), equals: .valid)
    }

    @Test func `a path leads through models in fields`() throws {
        let senator = Senator()
        let (term, friend) = (Term(), Senator())
        senator.terms.value = [Term(), term]
        senator.friend.value = friend
        let form = Form().add(senator, named: "senator")
        form.validate()
        form.apply(messages: [
            "senator.terms[1].phone": ["is dead"], "/senator/friend/name/first": ["is wrong"],
            "senator.terms[2].phone": ["is not there"], "a..b": ["is odd"],
        ])
        expect(term.phone.issues.map(\.message), equals: ["is dead"])
        expect(friend.first.issues.map(\.message), equals: ["is wrong"])
        expect(
            form.issues.map(\.description),
            equals: [
                "phone is dead", "first is wrong", "terms[2].phone is not there", "a..b is odd",
            ].sorted { left, right in
                // The array comes with its field, before the friend.
                let order = ["terms[2].phone is not there", "phone is dead", "first is wrong"]
                return (order.firstIndex(of: left) ?? 9) < (order.firstIndex(of: right) ?? 9)
            }
        )
        term.phone.value = "1"
        expect(!form.issues.map(\.description).contains("phone is dead"))
        expect(form.firstInvalid?.field === senator.terms)
        senator.friend.value = Senator()
        expect(!form.issues.map(\.description).contains("first is wrong"))
    }

    @Test func `what is reported of a model in a field is stale once its field is set`() {
        let senator = Senator()
        let term = Term()
        term.phone.value = "12345"
        senator.terms.value = [term]
        let form = Form().add(senator)
        expect(form.validate(), equals: .invalid(["phone must be short"]))
        expect(form.firstInvalid?.field === term.phone)
        expect(form.firstInvalid?.path, equals: ["terms", 0, "phone"])
        term.phone.value = "1"
        expect(form.state, equals: .unknown)
        expect(form.issues.isEmpty)
        expect(form.validate(), equals: .valid)
    }

    // MARK: Drafts

    @Test func `a draft of a value is a part in a field`() {
        let checks: [Partial<Profile>.Check] = [
            .value(\.name, "name", .notBlank), .required(\.age, "age"),
        ]
        let profile = Field(value: Draft(Profile(weight: 1)), name: "Profile")
            .require(Rule(issues: { $0?.validationIssues(checks) ?? [] }))
        let form = Form(["profile": profile])
        profile.value?.name = ""
        profile.value?.age = nil
        expect(form.changes, equals: [["profile"]])
        expect(form.validate().isInvalid)
        expect(form.issues.map(\.path), equals: [["profile", "name"], ["profile", "age"]])
        expect(form.issues.map(\.description).first, equals: "Profile.name cannot be blank")
        expect(form.firstInvalid?.field === profile)
        profile.value?.discard()
        expect(!form.isDirty)
        expect(form.validate(), equals: .valid)
    }

    @Test func `a commit brings all drafts to their models in one batch, or none`() throws {
        let (first, second) = (Person(), Person())
        first.name.value = "Ann"
        second.name.value = "Bob"
        let drafts = [first.draft(), second.draft()]
        let form = Form().add(drafts[0], named: "first").add(drafts[1], named: "second")
        let both = Computed { [first = first.name, second = second.name] in
            "\(first.value ?? "") \(second.value ?? "")"
        }
        let seen = Collector<String?>()
        both --> { seen.add($0) }
        drafts[0].name.value = "Cid"
        drafts[1].name.value = ""
        let invalid = #expect(throws: DraftError.self) { try form.commit() }
        expect(invalid?.issues.map(\.path), equals: [["second", "name"]])
        drafts[1].name.value = "Dan"
        second.name.value = "Eve"
        let conflict = #expect(throws: DraftError.self) { try form.commit() }
        expect(conflict?.conflicts, equals: [["second", "name"]])
        expect(first.name.value, equals: "Ann")
        form.apply([Issue(message: "is down")])
        try form.commit(overwriting: true)
        expect(seen.values, equals: ["Ann Bob", "Ann Eve", "Cid Dan"])
        expect(!form.isDirty)
    }

    @Test func `it may be used by several tasks`() async {
        let booking = Booking()
        let form = booking.form
        let more = (0..<50).map { Field<Int>(value: $0).require(.max($0)) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for number in 0..<200 { booking.email.value = "\(number)" } }
            group.addTask {
                for number in 0..<200 {
                    form.apply([Issue(path: ["email"], message: "\(number)"), Issue(message: "x")])
                }
            }
            group.addTask { for _ in 0..<50 { form.validate() } }
            group.addTask { for _ in 0..<50 { _ = (form.state, form.isDirty, form.visibleIssues) } }
            group.addTask {
                for (index, field) in more.enumerated() {
                    form.add(field, named: "\(index)")
                    form.touch(field)
                    form.setEnabled(false, for: field)
                    form.setEnabled(true, for: field)
                }
            }
        }
        form.apply([])
        booking.email.value = "a"
        more[7].value = 8
        expect(form.validate(), equals: .invalid(["7 must be less than or equal to 7"]))
        expect(form.touched.count, equals: 50)
        expect(form.changes, equals: [["email"], ["7"]])
    }

    @Test func `what was said of a model as a whole is forgotten once that is changed`() {
        final class Inner: Model {
            let name = Field<String>(value: "a")
            let boss = ModelField<Boss>()
        }
        final class Boss: Model { let name = Field<String>(value: "b") }
        final class Outer: Model { let inner = ModelField<Inner>() }
        let (outer, inner, boss) = (Outer(), Inner(), Boss())
        outer.inner.value = inner
        inner.boss.value = boss
        let form = Form().add(outer)
        form.validate()
        for (path, field) in [(["inner"], inner.name), (["inner", "boss"], boss.name)]
            as [([String], Field<String>)]
        {
            let path = FieldPath(path.map { .key($0) })
            form.apply([Issue(path: path, message: "is unknown")])
            expect(form.state.isInvalid)
            expect(form.validate().isInvalid, "it is said of what is there still")
            field.value = "other"
            expect(form.issues.isEmpty)
            expect(form.state, equals: .unknown)
            expect(form.validate(), equals: .valid)
            form.apply([Issue(path: path, message: "is unknown")])
            expect(form.state.isInvalid, "said again")
            field.value = "another"
            expect(form.validate(), equals: .valid)
        }
    }

    @Test func `what was said of a model that must be valid is forgotten once that is changed`() {
        final class Inner: Model {
            let name = Field<String>(value: "a")
            let boss = ModelField<Boss>().requireValid()
        }
        final class Boss: Model { let name = Field<String>(value: "b") }
        final class Outer: Model { let inner = ModelField<Inner>().requireValid() }
        let (outer, inner, boss) = (Outer(), Inner(), Boss())
        outer.inner.value = inner
        inner.boss.value = boss
        let form = Form().add(outer)
        form.validate()
        form.apply([Issue(path: ["inner", "boss"], message: "is unknown")])
        expect(form.validate().isInvalid, "it is said of what is there still")
        boss.name.value = "other"
        expect(form.issues.isEmpty)
        expect(form.state, equals: .unknown)
        expect(form.validate(), equals: .valid)
    }

    @Test func `a field that is reached by two ways has the issues of each`() {
        final class Person: Model { let name = Field<String>(value: "a") }
        final class Team: Model {
            let lead = ModelField<Person>()
            let owner = ModelField<Person>()
        }
        let (team, person) = (Team(), Person())
        (team.lead.value, team.owner.value) = (person, person)
        let form = Form().add(team)
        form.apply([
            Issue(path: ["lead", "name"], message: "is odd"),
            Issue(path: ["owner", "name"], message: "is even"),
        ])
        team.lead.value = Person()
        expect(Set(form.issues.map(\.issue.path)), equals: [["owner", "name"]])
    }

    @Test func `a value that waited while it was edited makes a form unknown`() {
        let (source, field, other) = (Field<Int>(value: 1), Field<Int>(), Field<Int>(value: 0))
        final class Pair: Model {
            let left = Field<Int>()
            let right = Field<Int>()
            func check(_ report: inout ModelReport) {
                report.require("must differ") { left.value != right.value }
            }
        }
        _ = (field, other)
        let pair = Pair()
        source --> pair.left
        pair.left.beginEditing()
        source.value = 2
        pair.right.value = 2
        let form = Form().add(pair)
        expect(form.validate(), equals: .valid)
        pair.left.endEditing()
        expect(form.state, equals: .unknown)
        expect(form.validate().isInvalid)
    }
}
