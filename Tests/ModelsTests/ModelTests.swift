import Foundation
import ModelKitFields
import ModelKitModels
import Synchronization
import TestSupport
import Testing

enum Color: String, AttributeConvertible { case red, blue }

final class Person: Model {
    let id = Field<String>()
    let name = Field<String>(name: "Name").require("cannot be blank") { !$0.isEmpty }
    let age = Field<Int>()
    let weight = Field<Double>()
    let isActive = Field<Bool>(value: true)
    let color = Field<Color>()
    let born = Field<Date>()
    let tags = Field<String>()*
}

final class Term: Model {
    let start = Field<Int>()
    let end = Field<Int>()
    let phone = Field<String>().require("must be short") { $0.count < 5 }

    func check(_ report: inout ModelReport) {
        report.require(end, "must not be before the start") {
            guard let start = start.value, let end = end.value else { return true }
            return start <= end
        }
    }
}

final class Senator: Model {
    let bioguide = Field<String>(key: ["id", "bioguide"]).identifier()
    let first = Field<String>(key: ["name", "first"])
    let last = Field<String>(priority: 1, key: ["name", "last"])
    let terms = ModelField<Term>().requireValid()*
    let friend = ModelField<Senator>()
}

@Suite struct SchemaTests {
    @Test func `the fields are found in their order, with keys and kinds`() {
        let schema = Person.schema
        expect(
            schema.fields.map(\.name),
            equals: [
                "id", "name", "age", "weight", "isActive", "color", "born", "tags",
            ]
        )
        expect(
            schema.fields.map(\.kind),
            equals: [
                .string, .string, .int, .double, .bool, .string, .date, .array,
            ]
        )
        expect(schema.identifier?.name, equals: "id")
        expect(Senator.schema.fields.first?.name, equals: "last", "a priority comes first")
        expect(Senator.schema.identifier?.key, equals: ["id", "bioguide"])
        expect(schema.description.hasPrefix("Person: id (string, identifier), name (string)"))
    }

    @Test func `each field of an instance is reached`() {
        let person = Person()
        let fields = Person.schema.fields.map { $0.field(in: person) }
        let expected: [AnyField] = [
            person.id, person.name, person.age, person.weight, person.isActive, person.color,
            person.born, person.tags,
        ]
        expect(fields.count, equals: expected.count)
        for (field, other) in zip(fields, expected) { expect(field === other) }
    }

    class Base: Model, @unchecked Sendable {
        let a = Field<Int>()
        required init() {}
    }

    final class Sub: Base, @unchecked Sendable {
        let text = "x"
        let b = Field<Int>()
        let big = (1, 2, 3, "y")
        let c = Field<Int>(key: "see")
    }

    @Test func `fields of superclasses come first, other properties do not matter`() {
        let sub = Sub()
        let schema = Sub.schema
        expect(schema.fields.map(\.key), equals: ["a", "b", "see"])
        expect(schema.fields[2].field(in: sub) === sub.c)
    }

    final class Odd: Model {
        let a = Field<Int>(key: "x")
        let b = Field<Int>(key: "x")
        let maybe: Field<Int>? = Field<Int>()
        let c = Field<Int>()
        let again: Field<Int>
        struct Opaque: Equatable, Sendable {}
        let opaque = Field<Opaque>()
        init() { again = c }
    }

    @Test func `what is declared as models are not is reported and left out`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            expect(Odd.schema.fields.map(\.name), equals: ["a", "c"])
        }
        expect(Set(messages.values.map(\.field)), equals: ["b", "maybe", "again", "opaque"])
        expect(messages.values.allSatisfy { $0.code == .modelDeclaration })
        let odd = Odd()
        expect(Odd.schema.fields[1].field(in: odd) === odd.c)
    }

    final class Lacking: Model {
        let id = Field<Int>()
        let maybe: Field<Int>?
        let text: String? = nil

        init() { maybe = nil }
    }

    @Test func `an optional field is reported also where there is none`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) { _ = Lacking.schema }
        expect(messages.values.map(\.field), equals: ["maybe"])
    }

    @Test func `models created on many threads share one schema`() async {
        final class Fresh: Model { let a = Field<Int>() }
        let schemas = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<16 { group.addTask { ObjectIdentifier(Fresh.schema) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        expect(schemas.count, equals: 1)
    }
}

@Suite struct DictionaryTests {
    @Test func `a computed dictionary follows every field, also those of models inside`() {
        let senator = Senator()
        let term = Term()
        senator.terms.value = [term]
        let dictionary = Computed { senator.dictionaryValue() }
        let log = Collector<AttributeDictionary?>()
        dictionary.observe { log.add($0) }
        senator.first.value = "Ada"
        term.start.value = 1851
        term.phone.value = "12"
        senator.terms.value = nil
        expect(log.values.count, equals: 5)
        expect(log.values.last, equals: senator.dictionaryValue())
        expect(dictionary.value, equals: senator.dictionaryValue())
        expect(dictionary.value?["terms"], equals: .null)
    }

    @Test func `what is computed from all kinds of values follows them`() {
        let person = Person()
        let dictionary = Computed { person.dictionaryValue() }
        let sets: [@Sendable () -> Void] = [
            { person.id.value = "1" }, { person.name.value = "Ada" }, { person.age.value = 36 },
            { person.weight.value = 60.5 }, { person.isActive.value = false },
            { person.color.value = .blue }, { person.born.value = Date(timeIntervalSince1970: 0) },
            { person.tags.value = ["red"] },
        ]
        for (index, set) in sets.enumerated() {
            let before = dictionary.value
            set()
            expect(dictionary.value != before, "set \(index)")
            expect(dictionary.value, equals: person.dictionaryValue(), "set \(index)")
        }
    }

    @Test func `a model turns into a dictionary and back`() throws {
        let person = Person()
        person.id.value = "p1"
        person.name.value = "Bob"
        person.age.value = nil
        person.color.value = .red
        person.born.value = Date(timeIntervalSince1970: 0)
        person.tags.value = ["red", "green", "blue"]
        let dictionary = person.dictionaryValue()
        expect(
            dictionary,
            equals: [
                "id": "p1", "name": "Bob", "age": nil, "isActive": true, "color": "red",
                "born": .date(Date(timeIntervalSince1970: 0)),
                "tags": ["red", "green", "blue"],
            ],
            "never set and nil is absent, set to nil is null, a default is there"
        )
        let copy = try Person(dictionaryValue: dictionary)
        expect(copy.dictionaryValue(), equals: dictionary)
        expect(copy != person)
        expect(copy.age.loadState, equals: .loaded)
        expect(copy.weight.loadState, equals: .notLoaded)
    }

    @Test func `every value that does not fit is reported with its path, and the others are read`()
    {
        let senator = Senator()
        senator.first.value = "before"
        do {
            try senator.read(dictionaryValue: [
                "id": ["bioguide": 7],
                "name": ["first": true, "last": "Cantwell"],
                "terms": [["start": 1], ["start": "x", "end": 2.5], 3, ["phone": nil]],
            ])
            Issue.record("nothing was thrown")
        } catch {
            expect(
                error.issues.map(\.description),
                equals: [
                    "id.bioguide must be a string, not an integer",
                    "name.first must be a string, not a boolean",
                    "terms[1].start must be an integer, not a string",
                    "terms[1].end must be an integer, not 2.5",
                    "terms[2] must be a dictionary, not an integer",
                ].sorted(by: { left, right in order(left) < order(right) })
            )
        }
        expect(senator.last.value, equals: "Cantwell")
        expect(senator.first.value, equals: "before", "a field keeps its value")
        expect(senator.terms.value, equals: [])
    }

    private func order(_ text: String) -> Int {
        // The order of the fields: by priority, then as declared.
        ["id", "name", "terms"].firstIndex { text.hasPrefix($0) } ?? 9
    }

    @Test func `a value in the way of a nested key is reported once`() {
        #expect {
            try Senator(dictionaryValue: ["name": "Cantwell"])
        } throws: { error in
            (error as? ImportError)?.description == "name must be a dictionary, not a string"
        }
    }

    @Test(arguments: [
        (AttributeValue.double(1e300), "age 1e+300 is out of the range of Int"),
        (.double(.nan), "age must be an integer, not nan"),
        (.double(3.9), "age must be an integer, not 3.9"),
        (.string("3"), "age must be an integer, not a string"),
        (.bool(true), "age must be an integer, not a boolean"),
    ])
    func `a number that does not fit is refused`(value: AttributeValue, message: String) {
        #expect {
            try Person(dictionaryValue: ["age": value])
        } throws: { error in
            (error as? ImportError)?.description == message
        }
    }

    @Test func `whole numbers are numbers, whatever their kind`() throws {
        let person = try Person(dictionaryValue: ["age": 3.0, "weight": 70])
        expect(person.age.value, equals: 3)
        expect(person.weight.value, equals: 70)
    }

    @Test func `an unknown case of an enum is refused and the old value kept`() {
        let person = Person()
        person.color.value = .blue
        #expect {
            try person.read(dictionaryValue: ["color": "yellow"])
        } throws: { error in
            (error as? ImportError)?.issues.first?.description
                == "color \"yellow\" is not an allowed value"
        }
        expect(person.color.value, equals: .blue)
    }

    @Test func `a cycle ends with the identifier`() {
        let one = Senator(), two = Senator()
        one.bioguide.value = "A1"
        two.bioguide.value = "B2"
        one.friend.value = two
        two.friend.value = one
        expect(
            one.dictionaryValue(),
            equals: [
                "id": ["bioguide": "A1"], "terms": [],
                "friend": [
                    "id": ["bioguide": "B2"], "terms": [],
                    "friend": ["id": ["bioguide": "A1"]],
                ],
            ]
        )
        expect(one.description.count < 300)
        expect(one.validate(), equals: .valid)
    }

    @Test func `a cycle of models without identifiers can be read again`() throws {
        final class Node: Model {
            let id = Field<String>()
            let others = ModelField<Node>()*
        }
        let node = Node()
        node.others.value = [node]
        let copy = try Node(dictionaryValue: node.dictionaryValue())
        expect(copy.others.count, equals: 1)
    }

    @Test func `a model describes itself`() {
        let term = Term()
        term.start.value = 3
        expect(term.description, equals: "Term(start: 3)")
    }
}

@Suite struct ModelValidationTests {
    @Test func `rules of fields, checks of models and those of models inside have paths`() {
        let senator = Senator()
        let good = Term(), bad = Term()
        bad.start.value = 5
        bad.end.value = 3
        bad.phone.value = "123456"
        senator.terms.value = [good, bad]
        expect(
            senator.validate(),
            equals: .invalid([
                "terms[1].end must not be before the start", "terms[1].phone must be short",
            ])
        )
        expect(bad.end.validationState, equals: .invalid(["must not be before the start"]))
        expect(senator.terms.issues.map(\.path), equals: [[1, "end"], [1, "phone"]])
        bad.end.value = 6
        bad.phone.value = "1"
        expect(senator.validate(), equals: .valid)
    }

    @Test func `models of a cycle validate each other once`() {
        final class Node: Model {
            let name = Field<String>().require("is required", allowNil: false) { _ in true }
            let next = ModelField<Node>().requireValid()
        }
        let one = Node(), two = Node()
        one.next.value = two
        two.next.value = one
        let messages = one.validationIssues().map(\.description)
        expect(messages.contains("name is required"))
        expect(messages.contains("next.name is required"))
        expect(messages.count <= 3)
    }
}

@Suite struct JSONTests {
    @Test func `a model turns into JSON and back`() throws {
        let person = Person()
        person.id.value = "p/1"
        person.weight.value = 70.25
        person.born.value = Date(timeIntervalSince1970: 1.5)
        person.tags.value = ["\u{e9}\n"]
        let json = try person.jsonData()
        expect(
            String(decoding: json, as: UTF8.self),
            equals:
                #"{"born":"1970-01-01T00:00:01.500000Z","id":"p/1","isActive":true,"tags":["é\n"],"weight":70.25}"#
        )
        try expect(Person(json: json).dictionaryValue(), equals: person.dictionaryValue())
        try expect([Person](json: try [person, person].jsonData()).count, equals: 2)
    }

    @Test func `any coder writes and reads a model`() throws {
        let person = Person()
        person.name.value = "Ada"
        let data = try PropertyListEncoder().encode(person)
        try expect(PropertyListDecoder().decode(Person.self, from: data).name.value, equals: "Ada")
    }

    @Test func `a text that is no JSON names the place`() {
        #expect {
            try Person(json: Data("{\"id\": x}".utf8))
        } throws: { error in
            "\(error)".contains("byte 7")
        }
    }

    @Test func `an issue in an array of models has the index`() {
        #expect {
            try [Person](json: Data(#"[{"id": "a"}, {"id": 3}, 4]"#.utf8))
        } throws: { error in
            (error as? ImportError)?.issues.map(\.description) == [
                "[1].id must be a string, not an integer",
                "[2] must be a dictionary, not an integer",
            ]
        }
    }

    @Test(arguments: [
        "1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "1899-12-31T12:00:00.000001Z",
        "9999-12-31T00:00:00Z", "2000-03-01T00:00:00.250000Z", "0000-02-29T00:00:00Z",
        "-000001-12-31T23:00:00Z", "+010000-01-01T00:00:00Z", "+287169-03-23T16:00:00Z",
    ])
    func `a time is written as it was read`(text: String) throws {
        let date = try Date(attributeValue: .string(text))
        try expect(AttributeValue.date(date).jsonData(), equals: Data("\"\(text)\"".utf8))
    }

    @Test(arguments: [
        ("9999-12-31T23:59:59.9999999Z", "+010000-01-01T00:00:00Z"),
        ("0000-01-01T00:30:00+01:00", "-000001-12-31T23:30:00Z"),
    ])
    func `a time at the end of the four-digit years can be read again`(
        text: String,
        written: String
    ) throws {
        let date = try Date(attributeValue: .string(text))
        let json = try AttributeValue.date(date).jsonData()
        expect(String(decoding: json, as: UTF8.self), equals: "\"\(written)\"")
        try expect(Date(attributeValue: AttributeValue(json: json)), equals: date)
    }

    @Test func `a leap second is only at the end of a month, in UTC`() throws {
        for (text, next) in [
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("2015-06-30T19:59:60.25-04:00", "2015-07-01T00:00:00.250Z"),
        ] {
            try expect(
                Date(attributeValue: .string(text)),
                equals: Date(attributeValue: .string(next))
            )
        }
        for text in [
            "2026-01-15T10:20:60Z", "2016-12-31T23:59:60+01:00", "2016-12-31T22:59:60Z",
            "2016-12-30T23:59:60Z", "2016-12-31T23:58:60Z", "2016-12-31T23:59:61Z",
        ] {
            #expect(throws: ModelKitFields.Issue.self) {
                try Date(attributeValue: .string(text))
            }
        }
    }

    @Test func `zones are applied and impossible times refused`() throws {
        try expect(
            Date(attributeValue: "2026-01-01T01:00:00+01:00"),
            equals: Date(attributeValue: "2026-01-01T00:00:00Z")
        )
        for text in [
            "2026-02-29T00:00:00Z", "2026-01-01", "2026-01-01T24:00:00Z", "x", "",
            "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00Z ", "2100-02-29T00:00:00Z", "2026-01-01 00:00:00Z",
            "10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "-000000-01-01T00:00:00Z",
            "+999999-12-31T00:00:00Z", "-999999-01-01T00:00:00Z",
        ] {
            #expect(throws: ModelKitFields.Issue.self) {
                try Date(attributeValue: .string(text))
            }
        }
    }
}

@Suite struct IdentifierTests {
    @Test func `the identifier is that of the marked field, or of id`() {
        let person = Person()
        expect(person.identifier, equals: nil)
        person.id.value = "x"
        expect(person.identifier, equals: "x")
        let senator = Senator()
        senator.bioguide.value = "C000127"
        expect(senator.identifier, equals: "C000127")
    }

    @Test func `texts, numbers and UUIDs stand for identifiers`() {
        let uuid = UUID()
        expect("a".identifier, equals: .string("a"))
        expect(7.identifier, equals: .int(7))
        expect(uuid.identifier, equals: .string(uuid.uuidString))
    }

    @Test func `UUIDs of version 7 sort as they were made and do not repeat`() {
        let made = (0..<10_000).map { _ in UUIDv7.make().uuidString }
        expect(made, equals: made.sorted())
        expect(Set(made).count, equals: made.count)
        expect(made.allSatisfy { Array($0)[14] == "7" && "89AB".contains(Array($0)[19]) })
    }
}

@Suite struct FieldAccessTests {
    final class Doubled: Model {
        let extra: Field<Int>?
        let a: Field<Int>

        init() {
            a = Field()
            extra = a
        }

        init(extra: Field<Int>?) {
            a = Field()
            self.extra = extra
        }
    }

    struct Group: Sendable {
        let first: Field<Int>
    }

    final class Grouped: Model {
        let group: Group
        let a: Field<Int>

        init() {
            a = Field()
            group = Group(first: a)
        }

        init(group: Group) {
            a = Field()
            self.group = group
        }
    }

    @Test func `a field that stands in another property too is not taken for it`() {
        ModelKitDiagnostics.withHandler({ _ in }) { _ = Doubled.schema }
        let other = Field<Int>()
        let doubled = Doubled(extra: other)
        expect(Doubled.schema.fields.first?.field(in: doubled) === doubled.a)
        let grouped = Grouped(group: Group(first: other))
        expect(Grouped.schema.fields.first?.field(in: grouped) === grouped.a)
    }

    final class Twice: Model {
        let x: Field<Int>
        let y: Field<Int>
        let group: Group
        let z: Field<Int>

        init() {
            x = Field()
            y = Field()
            z = Field()
            group = Group(first: z)
        }

        init(both field: Field<Int>) {
            x = field
            y = field
            z = Field()
            group = Group(first: z)
        }
    }

    @Test func `a field that an instance holds twice does not move the others`() {
        let twice = Twice(both: Field())
        let fields = Twice.schema.fields.map { $0.field(in: twice) }
        expect(fields.count, equals: 3)
        expect(fields.last === twice.z)
    }

    final class Hidden: Model, CustomReflectable {
        static let name = Field<String>()

        var customMirror: Mirror { Mirror(self, children: ["name": Self.name]) }
    }

    @Test func `a model that reflects itself otherwise is reached by its reflection`() {
        let model = Hidden()
        expect(Hidden.schema.fields.first?.field(in: model) === Hidden.name)
    }

    /// The first models of it have a number that is the address of their field.
    final class Addressed: Model {
        private static let count = Atomic(0)
        let address: UInt
        let name: Field<String>

        init() {
            let field = Field<String>()
            let isEarly = Self.count.wrappingAdd(1, ordering: .relaxed).oldValue < 2
            address = isEarly ? UInt(bitPattern: Unmanaged.passUnretained(field).toOpaque()) : 0
            name = field
        }
    }

    @Test func `bits that are those of a field by chance are not taken for it`() {
        let entry = Addressed.schema.fields[0]
        for _ in 0..<3 {
            let model = Addressed()
            expect(entry.field(in: model) === model.name)
        }
    }

    /// Has a number that the class below gives.
    class Base: ModelObject, @unchecked Sendable {
        fileprivate static let given = Atomic<UInt>(0)
        let address: UInt

        required init() {
            address = Self.given.exchange(0, ordering: .relaxed)
            super.init()
        }
    }

    /// The first models of it give the address of their field.
    final class Derived: Base, @unchecked Sendable {
        private static let count = Atomic(0)
        let name: Field<String>

        required init() {
            name = Field<String>()
            if Self.count.wrappingAdd(1, ordering: .relaxed).oldValue < 2 {
                let address = UInt(bitPattern: Unmanaged.passUnretained(name).toOpaque())
                Base.given.store(address, ordering: .relaxed)
            }
            super.init()
        }
    }

    @Test func `nor are those in a property of the class above`() {
        let entry = Derived.schema.fields[0]
        for _ in 0..<3 {
            let model = Derived()
            expect(entry.field(in: model) === model.name)
        }
    }

    final class Loose: Model {
        let slot: any Sendable
        let name = Field<String>()

        init() { slot = Field<Int>() }

        init(_ slot: any Sendable) { self.slot = slot }
    }

    @Test func `a property of any type is looked at each time`() {
        let entries = Loose.schema.fields
        expect(entries.map(\.name), equals: ["slot", "name"])
        let (empty, other) = (Loose(5), Loose(Field<Int>()))
        ModelKitDiagnostics.withHandler({ _ in }) {
            expect(entries[0].field(in: empty) !== entries[0].field(in: empty))
        }
        expect(entries[0].field(in: other) === other.slot as? AnyField)
        expect(entries[1].field(in: empty) === empty.name)
    }

    final class Overlapping: Model {
        let name = Field<String>()
        let first = Field<String>(key: ["name", "first"])
    }

    @Test func `a key inside of another field's key is reported and left out`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            expect(Overlapping.schema.fields.map(\.name), equals: ["name"])
        }
        expect(messages.values.map(\.field), equals: ["first"])
    }

    @Test func `an identifier is a number or a text wherever it is written`() throws {
        final class Note: Model {
            let about = Field<Identifier>()
            let others = Field<Identifier>()*
        }
        let identifiers: [Identifier] = [7, "B000944", -1, "7"]
        let json = try JSONEncoder().encode(identifiers)
        expect(String(decoding: json, as: UTF8.self), equals: #"[7,"B000944",-1,"7"]"#)
        try expect(JSONDecoder().decode([Identifier].self, from: json), equals: identifiers)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Identifier].self, from: Data("[1.5]".utf8))
        }
        let note = try Note(dictionaryValue: ["about": "x", "others": [7, "7"]])
        expect(note.about.value, equals: "x")
        expect(note.others.value, equals: [7, "7"])
        expect(note.dictionaryValue(), equals: ["about": "x", "others": [7, "7"]])
        try expect(Note(json: note.jsonData()).others.value, equals: [7, "7"])
        #expect {
            try Note(dictionaryValue: ["about": 1.5])
        } throws: { error in
            (error as? ImportError)?.description == "about must be an identifier, not a number"
        }
    }
}
