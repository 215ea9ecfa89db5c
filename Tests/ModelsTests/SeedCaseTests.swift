import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private final class Fellow: Model {
    let id = Field<String>()
    let name = Field<String>(priority: 20)
    let color = Field<String>()
    let rank = Field<Int>(value: 1, priority: 10)
    let tags = Field<String>()*
    let friend = ModelField<Fellow>()
    let rival = ModelField<Fellow>()
    let group = ModelField<Group>()

    init() { linkFields() }

    convenience init(_ name: String) {
        self.init()
        self.name.value = name
    }
}

private final class Group: Model {
    let id = Field<String>()
    let person = ModelField<Fellow>()
    let people = ModelField<Fellow>(inverse: \.group)*
    let guests = ModelField<Fellow>()*

    init() { linkFields() }
}

/// The cases that a successor of the seed library has to stand, by their numbers there.
@Suite struct SeedCaseTests {
    private func paths(_ group: Group, _ pattern: FieldPattern) -> Collector<String> {
        let log = Collector<String>()
        group.observe(pattern) { change in log.add(change.path.description) }
        return log
    }

    @Test(arguments: [
        ("person", "person"), ("person.name", "person.name person"),
        ("person.*", "person.name person"),
        ("person.**", "person.name person"), ("**", "id person.name person"), ("id", "id"),
        ("person.color", "person"),
    ])
    func `case 38: a pattern covers what is at it and what leads to it`(
        pattern: String,
        expected: String
    ) throws {
        let group = Group(), ada = Fellow("Ada")
        group.person.value = ada
        let log = paths(group, try FieldPattern(parsing: pattern))
        group.id.value = "g"
        ada.name.value = "Eve"
        group.person.value = nil
        expect(log.values, equals: expected.split(separator: " ").map(String.init))
    }

    @Test func `case 39: a change in a model inside is reported with its whole path`() {
        let group = Group(), ada = Fellow("Ada"), eve = Fellow("Eve")
        group.person.value = ada
        let own = Collector<String>()
        ada.observe { change in own.add(change.path.description) }
        let (all, name) = (paths(group, "**"), paths(group, "person.name"))
        ada.name.value = "A"
        ada.color.value = "red"
        group.person.value = eve
        ada.name.value = "B"
        eve.name.value = "E"
        expect(own.values, equals: ["name", "color", "name"])
        expect(all.values, equals: ["person.name", "person.color", "person", "person.name"])
        expect(name.values, equals: ["person.name", "person", "person.name"])
    }

    @Test func `case 40: models that have themselves are reported once`() {
        let ada = Fellow("Ada")
        let log = Collector<String>()
        ada.observe { change in log.add(change.path.description) }
        ada.friend.value = ada
        ada.name.value = "A"
        expect(log.values, equals: ["friend", "name"])
        ada.friend.value = nil
    }

    @Test func `case 41: elements are reported, and a child in two fields by either field's path`()
    {
        let group = Group(), ada = Fellow("Ada")
        group.person.value = ada
        group.guests.value = [Fellow("Eve"), ada]
        let logs = [paths(group, "person.name"), paths(group, "guests.*.name"), paths(group, "**")]
        ada.name.value = "A"
        expect(logs[0].values, equals: ["person.name"])
        expect(logs[1].values, equals: ["guests[1].name"])
        expect(
            logs[2].values,
            equals: ["person.name"],
            "one change is reported once, by the shortest path"
        )
    }

    class Form: ModelObject, @unchecked Sendable {
        let title = Field<String>(priority: 5)
        let body = Field<String>()
    }

    @Test func `case 42: a subscript sets and gets a field that one object has`() {
        let form = Form()
        form << Field<Int>(key: "count")
        form["count"] = 3
        expect(form["count"] as? Int, equals: 3)
        expect(form.dynamicFields.count, equals: 1)
        let other = Form()
        expect(other.dynamicFields.isEmpty)
        var found: [String] = []
        other << Field<Int>(key: "a.b")
        ModelKitDiagnostics.withHandler({ _ in }) {
            other[["a.b"]] = 4
            found.append("\(other[["a.b"]] ?? "none")")
        }
        expect(found, equals: ["4"], "a path of components splits nothing")
    }

    @Test func `case 43: fields come by priority, then as declared, then those of one object`() {
        let form = Form()
        form << Field<Int>(key: "late")
        form << Field<Int>(priority: 1, key: "early")
        var keys: [String] = []
        form.visitAllFields(recursive: false) { field in
            keys.append(
                field === form.title
                    ? "title"
                    : field === form.body
                        ? "body"
                        : field.key?.description ?? "-"
            )
        }
        expect(keys, equals: ["title", "body", "early", "late"])
        expect(Fellow.schema.fields.map(\.name).prefix(3), equals: ["rank", "name", "id"])
    }

    @Test
    func `case 44: models inside are dictionaries, in order, and some fields are those alone`() {
        let group = Group()
        group.person.value = Fellow("Ada")
        group.guests.value = [Fellow("Eve"), Fellow("Bob")]
        expect(
            group.dictionaryValue(fields: [group.person, group.guests]),
            equals: [
                "person": ["name": "Ada", "rank": 1, "tags": []],
                "guests": [
                    ["name": "Eve", "rank": 1, "tags": []], ["name": "Bob", "rank": 1, "tags": []],
                ],
            ]
        )
    }

    @Test func `case 45: nil is null or absent at every level, and absent if it never was set`() {
        let group = Group(), ada = Fellow("Ada")
        ada.color.value = nil
        group.person.value = ada
        group.guests.value = nil
        let fields: [AnyField] = [group.person, group.guests]
        let name = ada.name
        expect(
            group.dictionaryValue(fields: fields),
            equals: [
                "person": ["name": "Ada", "rank": 1, "tags": [], "color": nil], "guests": nil,
            ]
        )
        let quiet = ValueTransformerContext(name: "quiet", explicitNull: false)
        expect(
            group.dictionaryValue(fields: fields, in: quiet),
            equals: ["person": ["name": "Ada", "rank": 1, "tags": []]]
        )
        expect(name.value, equals: "Ada")
    }

    @Test func `case 46: the case of keys and the forms of a context hold at every level`() throws {
        final class Event: Model {
            let startDate = Field<Date>()
            let endDate = Field<Date>()
            let subEvents = ModelField<Event>()*
        }
        var api = ValueTransformerContext(name: "api", keyCase: .upperCamel)
        api.transform(Date.self, with: .epochSeconds)
        let event = Event(), inner = Event()
        event.endDate.transform(with: .rfc3339, in: api)
        event.startDate.value = Date(timeIntervalSince1970: 1)
        event.endDate.value = Date(timeIntervalSince1970: 2)
        inner.startDate.value = Date(timeIntervalSince1970: 3)
        event.subEvents.value = [inner]
        let dictionary = event.dictionaryValue(in: api)
        expect(
            dictionary,
            equals: [
                "StartDate": 1, "EndDate": "1970-01-01T00:00:02Z",
                "SubEvents": [["StartDate": 3, "SubEvents": []]],
            ]
        )
        expect(event.dictionaryValue()["endDate"], equals: .date(Date(timeIntervalSince1970: 2)))
        let copy = Event()
        copy.endDate.transform(with: .rfc3339, in: api)
        try copy.read(dictionaryValue: dictionary, in: api)
        expect(copy.dictionaryValue(in: api), equals: dictionary)
    }

    @Test func `case 47: a cycle is written once, and then as the identifier alone`() {
        let left = Fellow("Left"), right = Fellow("Right")
        left.id.value = "l"
        right.id.value = "r"
        left.friend.value = right
        right.friend.value = left
        expect(
            left.dictionaryValue(),
            equals: [
                "id": "l", "name": "Left", "rank": 1, "tags": [],
                "friend": [
                    "id": "r", "name": "Right", "rank": 1, "tags": [], "friend": ["id": "l"],
                ],
            ]
        )
        let group = Group()
        group.people.value = [left, right]
        expect(group.dictionaryValue().count, equals: 2)
        left.friend.value = nil
        group.unlink()
    }

    @Test func `case 48: each export begins anew`() {
        let ada = Fellow("Ada")
        ada.friend.value = ada
        expect(ada.dictionaryValue(), equals: ada.dictionaryValue())
        ada.friend.value = nil
    }

    @Test func `case 49: visitors come to own fields, or to those inside, each model once`() {
        let group = Group(), ada = Fellow("Ada")
        group.person.value = ada
        group.guests.value = [ada, Fellow("Eve")]
        var own = 0
        var all = 0
        var names: [String] = []
        group.visitAllFields(recursive: false) { _ in own += 1 }
        group.visitAllFields { _ in all += 1 }
        group.visitAllFieldValues { value in
            if let name = value as? String { names.append(name) }
        }
        expect(own, equals: Group.schema.fields.count)
        expect(all, equals: own + 2 * Fellow.schema.fields.count)
        expect(names, equals: ["Ada", "Eve"])
    }

    class Beast: ModelObject, @unchecked Sendable {
        let kind = Field<String>()
        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            switch dictionary["kind"] {
            case "cat": Cat.self
            case "form": Form.self
            default: self
            }
        }
    }

    final class Cat: Beast, @unchecked Sendable {}

    @Test func `case 50: a dictionary is of a subclass, of the class itself, or of neither`() throws
    {
        try expect(Beast.make(of: ["kind": "cat"]) is Cat)
        expect(type(of: try Beast.make(of: ["kind": "unheard of"])) == Beast.self)
        #expect(throws: ImportError.self) { try Beast.make(of: ["kind": "form"]) }
    }

    @Test func `case 52: a copy is another object with back references of its own`() {
        let group = Group(), ada = Fellow("Ada")
        ada.id.value = "a"
        group.people.value = [ada]
        let map = IdentityMap()
        map.insert(ada)
        let copy = ada.copy()
        expect(copy !== ada && copy.identifier == "a" && copy.name.value == "Ada")
        expect(copy.group.value !== group && copy.group.value?.people.value == [copy])
        copy.name.value = "Eve"
        expect(ada.name.value, equals: "Ada")
        expect(ada.copy(fields: [ada.name]).identifier, equals: nil)
        expect(map.model(Fellow.self, identifier: "a") === ada)
        group.unlink()
        copy.unlink()
    }

    @Test func `case 53: what is unloaded keeps its identifier, and others their relations`() {
        let group = Group(), ada = Fellow("Ada")
        ada.id.value = "a"
        group.people.value = [ada]
        ada.unload()
        expect(ada.identifier, equals: "a")
        expect(ada.loadState, equals: .incomplete)
        expect(ada.name.loadState == .notLoaded && ada.name.value == nil)
        expect(group.people.value, equals: [ada])
        expect(ada.dictionaryValue(), equals: ["id": "a"])
        group.unlink()
    }

    @Test func `case 54: a merge takes what is newer and loaded, into a fresh model too`() {
        let source = Fellow("Ada"), target = Fellow()
        source.id.value = "a"
        source.rank.value = 7
        source.tags.value = ["x"]
        source.color.value = "red"
        target.color.value = "blue"
        let taken = target.merge(from: source, excluding: [target.tags])
        expect(Set(taken.map(\.description)), equals: ["id", "name", "rank"])
        expect(target.rank.value == 7 && target.identifier == "a")
        expect(target.color.value, equals: "blue", "it is newer")
        expect(target.tags.value ?? [], equals: [])
        expect(target.name.updatedAt, equals: source.name.updatedAt)
        let later = Fellow("Eve")
        expect(target.merge(from: later).map(\.description), equals: ["name"])
        expect(later.merge(from: Fellow()), equals: [], "what was never set is not taken")
    }

    @Test func `case 55: a model is blank that has only blank models, also in a cycle`() {
        final class Page: Model {
            let text = Field<String>()
            let next = ModelField<Page>()
            let notes = Field<String>()*
        }
        let page = Page(), next = Page()
        expect(page.isBlank)
        page.next.value = next
        next.next.value = page
        next.text.value = ""
        expect(page.isBlank)
        next.notes.value = ["x"]
        expect(!page.isBlank)
        next.next.value = nil
    }

    @Test func `case 56: an init may give fields their names`() {
        final class Survey: Model {
            let title: Field<String>
            let answers: ArrayField<Int>
            let mood: Field<String>

            init() {
                let names = ["title": "Titel", "answers": "Antworten"]
                title = Field(name: names["title"]).require(.required)
                answers = Field<Int>(name: names["answers"])*
                mood = Field(name: names["mood"])
            }
        }
        let survey = Survey()
        let fields = [survey.title, survey.answers, survey.mood]
        expect(fields.map(\.name), equals: ["Titel", "Antworten", nil])
        expect(Survey.schema.fields.map(\.title), equals: ["Titel", "Antworten", nil])
        expect(
            Survey.schema.fields.map(\.key),
            equals: ["title", "answers", "mood"],
            "not the key"
        )
        expect(survey.validate(), equals: .invalid(["Titel is required"]))
    }

    @Test func `case 58: a partner is taken from whoever had it, with one event for each field`() {
        final class Husband: Model {
            let wife = ModelField<Wife>(inverse: \.husband)
            init() { linkFields() }
        }
        final class Wife: Model {
            let husband = ModelField<Husband>()
            init() { linkFields() }
        }
        let (adam, bert, eve) = (Husband(), Husband(), Wife())
        adam.wife.value = eve
        let log = Collector<String>()
        adam.wife.observe(when: .changes) { value in log.add("adam \(value == nil)") }
        bert.wife.observe(when: .changes) { value in log.add("bert \(value == nil)") }
        eve.husband.observe(when: .changes) { value in log.add("eve \(value == nil)") }
        bert.wife.value = eve
        expect(Set(log.values), equals: ["adam true", "bert false", "eve false"])
        expect(log.values.count, equals: 3)
        expect(adam.wife.value == nil && eve.husband.value == bert)
        eve.unlink()
    }

    @Test
    func `case 59: a foreign key is the object in use, or one of which the rest is not known`()
        throws
    {
        final class Ticket: Model {
            let holder = ModelField<Fellow>(foreignKey: true)
            let guests = ModelField<Fellow>(foreignKey: true)*
        }
        let map = IdentityMap()
        let ada = try map.read(Fellow.self, ["id": "a", "name": "Ada"])
        let ticket = try map.read(Ticket.self, ["holder": "a", "guests": ["b", "c", "b"]])
        expect(ticket.holder.value === ada)
        expect(
            ticket.guests.value?.map(\.loadState),
            equals: [.incomplete, .incomplete, .incomplete]
        )
        expect(ticket.guests[0] === ticket.guests[2])
        expect(ticket.dictionaryValue(), equals: ["holder": "a", "guests": ["b", "c", "b"]])
        #expect(throws: ImportError.self) { try Ticket(dictionaryValue: ["holder": 3]) }
    }

    @Test func `case 60: an identifier is one object of its class, as long as somebody keeps it`() {
        let map = IdentityMap()
        let ada = map.canonical(Fellow.self, identifier: "a")
        expect(map.canonical(Fellow.self, identifier: "a") === ada)
        expect(map.canonical(Group.self, identifier: "a") !== ada as AnyObject)
        map.remove(ada)
        expect(map.canonical(Fellow.self, identifier: "a") !== ada)
    }
}
