import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

final class Trip: Model {
    let id = Field<String>(value: UUID().uuidString)
    let title = Field<String>(name: "Title", key: ["info", "title"]).require(.notBlank)
    let start = Field<Int>()
    let end = Field<Int>(name: "End").require(.max(100))
    let price = Field<Double>()
    let rating = Field<Double>().equality { abs($0 - $1) < 0.01 }
    let stops = Field<String>().require(.notBlank)*
    let guest = ModelField<Person>()
    let badge = Field<Badge>()

    struct Badge: Equatable { var number: Int }

    func check(_ report: inout ModelReport) {
        report.require(end, "must not be before the start", code: "order") {
            (start.value ?? 0) <= (end.value ?? .max)
        }
        report.require("is too dear", code: "dear") { !((price.value ?? 0) >= 1_000) }
    }

    static func sample() -> Trip {
        ModelKitDiagnostics.withHandler({ _ in }) {
            let trip = Trip()
            trip.title.value = "Rome"
            trip.start.value = 1
            trip.end.value = 9
            trip.price.value = .nan
            trip.stops.value = ["Bern", "Milan"]
            _ = Trip.schema
            return trip
        }
    }
}

@Suite struct ModelDraftTests {
    @Test func `a draft begins with the values, times and load states of the base`() {
        let trip = Trip.sample()
        trip.start.loadState = .incomplete
        let draft = trip.draft()
        expect(draft.base === trip)
        expect(draft.id.value, equals: trip.id.value)
        expect(draft.title.value, equals: "Rome")
        expect(draft.stops.value, equals: ["Bern", "Milan"])
        expect(draft.title.updatedAt, equals: trip.title.updatedAt)
        expect(draft.title.changedAt, equals: trip.title.changedAt)
        expect(draft[\.start].loadState, equals: .incomplete)
        expect(draft.badge.loadState, equals: .notLoaded)
        expect(!draft.isDirty)
        expect(draft.scratch.description, equals: trip.description)
        expect(
            draft.scratch.dictionaryValue()["guest"],
            equals: nil,
            "what was never set is not set"
        )
    }

    @Test func `the base stays as it is until the commit`() throws {
        let trip = Trip.sample()
        let draft = trip.draft()
        let field = Field<String>()
        draft.title <--> field
        expect(
            draft.title.value,
            equals: nil,
            "bound both ways, a field takes the value on the right"
        )
        field.value = "Pisa"
        draft.stops.append("Pisa")
        draft.badge.value = Trip.Badge(number: 3)
        expect(trip.title.value, equals: "Rome")
        expect(trip.stops.value, equals: ["Bern", "Milan"])
        try expect(draft.commit() === trip)
        expect(trip.title.value, equals: "Pisa")
        expect(trip.stops.value, equals: ["Bern", "Milan", "Pisa"])
        expect(trip.badge.value, equals: Trip.Badge(number: 3), "although it is in no dictionary")
        expect(!draft.isDirty)
        expect(trip.badge.loadState, equals: .loaded)
    }

    @Test func `changes are in the order of the schema, and typed back are none`() {
        let draft = Trip.sample().draft()
        draft.badge.value = Trip.Badge(number: 1)
        draft.start.value = nil
        draft.title.value = "Pisa"
        expect(draft.changes, equals: [["info", "title"], ["start"], ["badge"]])
        expect(draft.isDirty(\.title))
        expect(!draft.isDirty(\.end))
        expect(draft.changedValues(), equals: ["info": ["title": "Pisa"], "start": nil])
        draft.title.value = "Rome"
        draft.start.value = 1
        draft.badge.value = nil
        expect(draft.changes, equals: [])
        expect(!draft.isDirty)
    }

    @Test func `changed is decided by the field's own equality, also of NaN and of arrays`() {
        let trip = Trip.sample()
        trip.rating.value = 4
        let draft = trip.draft()
        draft.price.value = -.nan
        draft.rating.value = 4.001
        draft.stops.append("Pisa")
        draft.stops.remove(at: 2)
        expect(draft.changes, equals: [])
        draft.rating.value = 4.5
        draft.stops.move(from: 0, to: 1)
        expect(draft.changes, equals: [["rating"], ["stops"]])
    }

    @Test func `a model in a field is edited by a draft of its own, until another is put there`()
        throws
    {
        let trip = Trip.sample()
        let guest = Person()
        trip.guest.value = guest
        let draft = trip.draft()
        draft.guest.value?.name.value = "Ann"
        expect(guest.name.value, equals: nil)
        expect(draft.changes, equals: [["guest", "name"]])
        expect(draft.isDirty(\.guest))
        let other = Person()
        draft.guest.value = other
        expect(trip.guest.value === guest)
        expect(draft.changes, equals: [["guest"]])
        try draft.commit()
        expect(trip.guest.value === other)
        expect(guest.name.value, equals: nil, "it has left the draft")
    }

    @Test func `a commit notifies observers once, and those of changed fields only`() throws {
        let trip = Trip.sample()
        let seen = Collector<String>()
        let sum = Computed { [start = trip.start, end = trip.end] in
            (start.value ?? 0) + (end.value ?? 0)
        }
        sum.observe(when: .changes) { sum in seen.add("sum \(sum ?? 0)") }
        trip.start.observe { value in seen.add("start \(value ?? 0)") }
        trip.end.observe { value in seen.add("end \(value ?? 0)") }
        trip.title.observe { value in seen.add("title \(value ?? "")") }
        let before = seen.values.count
        let draft = trip.draft()
        draft.start.value = 2
        draft.start.value = 3
        draft.end.value = 4
        expect(seen.values.count, equals: before)
        try draft.commit()
        expect(seen.values.dropFirst(before).sorted(), equals: ["end 4", "start 3", "sum 7"])
    }

    @Test func `what is observed of a draft is whether it is dirty`() throws {
        let draft = Trip.sample().draft()
        let seen = Collector<Bool?>()
        let dirty = Computed { draft.isDirty }
        dirty --> { seen.add($0) }
        draft.title.value = "Pisa"
        draft.start.value = 3
        draft.title.value = "Rome"
        draft.start.value = 1
        draft.title.value = "Pisa"
        try draft.commit()
        draft.start.value = 4
        draft.discard()
        expect(seen.values, equals: [false, true, false, true, false, true, false])
    }

    // MARK: Taking back

    @Test func `revert sets one field back, discard all`() {
        let draft = Trip.sample().draft()
        let updated = draft.title.updatedAt
        draft.title.value = "Pisa"
        draft.start.value = 3
        draft.badge.value = Trip.Badge(number: 3)
        draft.revert(\.title)
        expect(draft.title.value, equals: "Rome")
        expect(draft.title.updatedAt, equals: updated)
        expect(draft.changes, equals: [["start"], ["badge"]])
        draft.end.addValidationError("is refused")
        draft.discard()
        expect(!draft.isDirty)
        expect(draft.badge.loadState, equals: .notLoaded)
        expect(draft.end.validate(), equals: .valid)
    }

    @Test func `a field that the model sets when another is set begins as in the base`() {
        final class Place: Model {
            let city = Field<String>()
            let country = Field<String>()
            let zip = Field<String>()
            init() {
                country.observe(when: .changes) { [city, zip] in
                    city.value = nil
                    zip.value = nil
                }
            }
        }
        let place = Place()
        place.country.value = "Italy"
        place.city.value = "Rome"
        place.zip.value = "00100"
        let draft = place.draft()
        expect(draft.city.value, equals: "Rome")
        expect(draft.zip.value, equals: "00100")
        draft.country.value = "France"
        expect(draft.changes, equals: [["city"], ["country"], ["zip"]])
        draft.discard()
        expect(draft.scratch.dictionaryValue(), equals: place.dictionaryValue())
    }

    // MARK: Validation

    @Test func `a draft that is invalid is not committed, and reports all that is wrong`() {
        let trip = Trip.sample()
        let draft = trip.draft()
        draft.title.value = " "
        draft.stops.append("")
        draft.start.value = 10
        draft.price.value = 2_000
        expect(draft.validate().isInvalid)
        expect(draft.validate(), equals: ValidationState(issues: draft.validationIssues()))
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(
            error?.issues.map(\.description),
            equals: [
                "Title cannot be blank", "End must not be before the start",
                "stops[2] cannot be blank", "is too dear",
            ]
        )
        expect(error?.conflicts, equals: [])
        expect(trip.title.value, equals: "Rome")
        expect(trip.start.value, equals: 1)
        expect(draft.changes.count, equals: 4)
        expect(draft.end.validationState, equals: .invalid(["must not be before the start"]))
        expect(trip.end.validationState, equals: .unknown)
    }

    /// What is committed was valid all at once.
    @Test func `a field that is set while the draft is validated is validated again`() {
        final class Restless: Model {
            let first = Field<Int>().require(.max(10))
            let second = Field<Int>()
            init() {
                second.require { [first] second in
                    if second == 1 { first.value = 11 }
                    if second == 2 { first.value = 1 - (first.value ?? 0) }
                    return true
                }
            }
        }
        let base = Restless()
        let draft = base.draft()
        draft.first.value = 5
        draft.second.value = 1
        let invalid = #expect(throws: DraftError.self) { try draft.commit() }
        expect(invalid?.issues.map(\.path), equals: [["first"]])
        expect(base.first.value, equals: nil)
        draft.first.value = 0
        draft.second.value = 2
        let endless = #expect(throws: DraftError.self) { try draft.commit() }
        expect(endless?.description, equals: "was changed meanwhile")
        expect(base.second.value, equals: nil)
    }

    @Test func `what others say against a field keeps it from a commit until it is set`() throws {
        let draft = Trip.sample().draft()
        draft.title.value = "Pisa"
        draft.title.addValidationError("is taken", code: "unique")
        #expect(throws: DraftError.self) { try draft.commit() }
        draft.title.value = "Siena"
        try expect(draft.commit().title.value, equals: "Siena")
    }

    @Test func `only what is wrong because of the changes counts among them`() throws {
        let trip = Trip.sample()
        trip.title.value = ""
        trip.start.value = 200
        trip.price.value = 5_000
        let draft = trip.draft()
        expect(draft.validateChanges(), equals: .valid)
        draft.stops.append("Pisa")
        expect(draft.validateChanges(), equals: .valid)
        expect(draft.title.validationState, equals: .unknown, "it is not validated at all")
        draft.end.value = 150
        expect(
            draft.changeIssues().map(\.description),
            equals: [
                "End must be less than or equal to 100", "End must not be before the start",
            ]
        )
        draft.end.value = 9
        #expect(throws: DraftError.self) { try draft.commit() }
        try expect(draft.commit(validatingChangesOnly: true).stops.count, equals: 3)
        // The check is about a field that is not changed; that it fails is new.
        trip.start.value = 1
        draft.rebase()
        draft.start.value = 10
        expect(draft.changeIssues().map(\.code), equals: ["order"])
    }

    // MARK: Others

    @Test func `the second of two drafts meets a conflict`() throws {
        let trip = Trip.sample()
        let (first, second) = (trip.draft(), trip.draft())
        first.title.value = "Pisa"
        first.start.value = 2
        second.title.value = "Siena"
        second.start.value = 2
        second.end.value = 8
        try first.commit()
        expect(second.conflicts, equals: [["info", "title"]])
        let error = #expect(throws: DraftError.self) { try second.commit() }
        expect(error?.description, equals: "info.title was changed meanwhile")
        expect(error?.conflicts, equals: [["info", "title"]])
        expect(trip.end.value, equals: 9)
        try second.commit(overwriting: true)
        expect(trip.title.value, equals: "Siena")
        expect(trip.end.value, equals: 8)
        expect(second.conflicts, equals: [])
    }

    @Test func `a set to the value that was there, and a touch, are no conflict`() throws {
        let trip = Trip.sample()
        let draft = trip.draft()
        draft.title.value = "Pisa"
        trip.title.touch()
        trip.title.value = "Siena"
        trip.title.value = "Rome"
        expect(draft.conflicts, equals: [])
        try draft.commit()
        expect(trip.title.value, equals: "Pisa")
    }

    @Test func `what a commit itself brings along a binding is no conflict`() throws {
        final class Price: Model {
            let net = Field<Int>()
            let gross = Field<Int>()
            init() { net --> gross }
        }
        let price = Price()
        price.net.value = 1
        let draft = price.draft()
        draft.net.value = 2
        expect(draft.gross.value, equals: 2)
        draft.gross.value = 3
        try draft.commit()
        expect(price.net.value, equals: 2)
        expect(price.gross.value, equals: 3)
    }

    @Test func `what is set in the moment of a commit is not overwritten`() throws {
        let trip = Trip.sample()
        let draft = trip.draft()
        draft.start.value = 2
        draft.end.value = 7
        let spy = Field<Int>()
        // While the first field is being set, somebody sets the second.
        trip.start.bind(to: spy) { [end = trip.end] start in
            if start == 2 { end.value = 8 }
            return start
        }
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.conflicts, equals: [["end"]])
        expect(trip.start.value, equals: 2)
        expect(trip.end.value, equals: 8)
        expect(draft.changes, equals: [["end"]])
        try draft.commit(overwriting: true)
        expect(trip.end.value, equals: 7)
    }

    @Test func `a rebase takes what is new elsewhere, and reports the conflicts`() throws {
        let trip = Trip.sample()
        let draft = trip.draft()
        let seen = Collector<Int?>()
        draft.end.observe { seen.add($0) }
        draft.title.value = "Pisa"
        draft.start.value = 2
        draft.badge.value = Trip.Badge(number: 1)
        trip.title.value = "Siena"
        trip.start.value = 2
        trip.end.value = 7
        expect(draft.rebase(), equals: [["info", "title"]])
        expect(draft.changes, equals: [["info", "title"], ["badge"]])
        expect(draft.end.value, equals: 7)
        expect(draft.end.updatedAt, equals: trip.end.updatedAt)
        expect(seen.values, equals: [9, 7])
        expect(draft.title.value, equals: "Pisa")
        expect(draft.rebase(), equals: [], "they were reported")
        draft.revert(\.title)
        expect(draft.title.value, equals: "Siena")
        draft.title.value = "Pisa"
        try draft.commit()
        expect(trip.title.value, equals: "Pisa", "who has rebased knows of the conflict")
    }

    @Test func `a commit shows what the base has made of it`() throws {
        let trip = Trip.sample()
        trip.title.observe(when: .changes) { [title = trip.title] value in
            title.value = value?.uppercased()
        }
        let draft = trip.draft()
        draft.title.value = "Pisa"
        trip.end.value = 7
        try draft.commit()
        expect(draft.title.value, equals: "PISA")
        expect(draft.end.value, equals: 7)
        expect(!draft.isDirty)
    }

    @Test func `it is described by its values and what is changed`() {
        let person = Person()
        person.name.value = "Ann"
        let draft = person.draft()
        draft.age.value = 3
        expect("\(draft)", equals: "Draft(\(draft.scratch), changes: [\"age\"])")
    }

    final class Span: Model {
        let start = Field<Int>(value: 1)
        let end = Field<Int>(value: 9)

        func check(_ report: inout ModelReport) {
            report.require(end, "must not be before the start") {
                start.value ?? 0 <= end.value ?? 0
            }
        }
    }

    @Test func `a commit never makes the base invalid by what others have set beside it`() {
        let span = Span()
        let draft = span.draft()
        draft.end.value = 5
        span.start.value = 8
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.issues.map(\.description), equals: ["end must not be before the start"])
        expect(span.end.value, equals: 9)
        expect(draft.start.value, equals: 8)
        expect(draft.changes, equals: [["end"]])
    }

    @Test func `two drafts of one base in a form are in conflict where they differ`() throws {
        let span = Span()
        let (first, second) = (span.draft(), span.draft())
        let form = Form().add(first, named: "first").add(second, named: "second")
        (first.end.value, second.end.value) = (5, 6)
        let error = #expect(throws: DraftError.self) { try form.commit() }
        expect(error?.conflicts, equals: [["second", "end"]])
        expect(span.end.value, equals: 9)
        expect(first.changes == [["end"]] && second.changes == [["end"]])
        second.end.value = 5
        try form.commit()
        expect(span.end.value, equals: 5)
        expect(!form.isDirty)
    }

    class Vehicle: ModelObject, @unchecked Sendable {
        let wheels = Field<Int>(value: 4)
    }

    final class Truck: Vehicle, @unchecked Sendable {
        let load = Field<Int>(key: "loadInTons").require(.max(40))
    }

    @Test func `a draft of an object of a subclass is one of that subclass`() throws {
        let truck = Truck()
        truck.load.value = 7
        let draft = (truck as Vehicle).draft()
        let edited = try #require(draft.scratch as? Truck)
        expect(edited.load.value, equals: 7)
        edited.load.value = 50
        expect(draft.changes, equals: [["loadInTons"]])
        expect(draft.changedValues(), equals: ["loadInTons": 50])
        expect(draft.validate(), equals: .invalid(["loadInTons must be less than or equal to 40"]))
        #expect(throws: DraftError.self) { try draft.commit() }
        edited.load.value = 12
        draft.wheels.value = 6
        try draft.commit()
        expect(truck.load.value, equals: 12)
        expect(truck.wheels.value, equals: 6)
        expect(!draft.isDirty)
    }

    @Test func `changed values are written as a context wants them`() {
        let vehicle = Coach()
        vehicle.seatCount.value = 50
        let draft = vehicle.draft()
        draft.seatCount.value = nil
        draft.firstTrip.value = Date(timeIntervalSince1970: 86_400)
        var api = ValueTransformerContext(name: "api", keyCase: .snake, explicitNull: false)
        api.transform(Date.self, with: .epochSeconds)
        expect(draft.changedValues(in: api), equals: ["seat_count": .null, "first_trip": 86_400])
    }

    final class Coach: Model {
        let seatCount = Field<Int>()
        let firstTrip = Field<Date>()
    }
}
