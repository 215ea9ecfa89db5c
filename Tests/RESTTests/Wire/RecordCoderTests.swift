import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct RecordCoderTests {
    static var contexts: [ValueTransformerContext] {
        var epoch = ValueTransformerContext(name: "epoch", keyCase: .kebab, explicitNull: true)
        epoch.transform(Date.self, with: .epochSeconds)
        return [
            .default, ValueTransformerContext(name: "snake", keyCase: .snake, explicitNull: false),
            epoch,
        ]
    }

    @Test(arguments: 0..<3)
    func `random records come out of their JSON as they went in`(context: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let coder = RecordCoder(Parcel.schema, in: Self.contexts[context])
        for _ in 0..<300 {
            let record = random.parcel()
            let json = try coder.json(of: record)
            guard case .dictionary(var object) = try AttributeValue(json: json) else {
                Issue.record("no object, seed \(seed)")
                return
            }
            let note = RecordNote.take(from: &object)
            expect(note, equals: RecordNote(of: record))
            var values = Dictionary(
                uniqueKeysWithValues: Parcel.schema.fields.map { ($0.key, AttributeValue.null) }
            )
            values.merge(try coder.values(of: object)) { $1 }
            for (key, value) in record.values {
                expect(
                    same(values[key] ?? .null, value),
                    "\(key): \(value) came out as \(values[key] as Any), seed \(seed)"
                )
            }
        }
    }

    @Test func `numbers and texts keep their bits`() throws {
        let coder = RecordCoder(Parcel.schema, in: .default)
        let values: [FieldKey: AttributeValue] = [
            "weight": .double(-0.0), "firstName": "a\u{0}b\u{e9}e\u{301}",
            "pieceCount": .int(.max), "anything": ["a\u{0}": .int(1), "$date": 3],
        ]
        let object = try coder.object(of: values, writesNull: true)
        let json = try AttributeValue.dictionary(object).jsonData()
        guard case .dictionary(let read) = try AttributeValue(json: json) else { return }
        let back = try coder.values(of: read)
        expect(back.count, equals: values.count)
        for (key, value) in values { expect(same(back[key] ?? .null, value), "\(key)") }
    }

    @Test func `null is written where it is asked for, and absent fields are not`() throws {
        let context = ValueTransformerContext(name: "api", keyCase: .snake, explicitNull: false)
        let coder = RecordCoder(Parcel.schema, in: context)
        let values: [FieldKey: AttributeValue] = [
            "firstName": nil, ["homeAddress", "cityName"]: nil, "tags": nil, "sender": nil,
        ]
        try expect(
            coder.object(of: values, writesNull: true),
            equals: [
                "first_name": nil, "home_address": ["city_name": nil], "tags": nil, "sender": nil,
            ]
        )
        try expect(coder.object(of: values, writesNull: false), equals: [:])
        try expect(coder.values(of: ["first_name": nil, "unknown": 3]), equals: ["firstName": nil])
        try expect(coder.values(of: ["home_address": [:]]), equals: [:])
    }

    @Test func `a representation has null for each nil`() throws {
        let coder = RecordCoder(Depot.schema, in: .default)
        let values: [FieldKey: AttributeValue] = ["depotNumber": 3, "streetName": nil]
        let record = Record(identifier: 3, revision: 7, values: values, place: 9)
        expect(
            String(decoding: try coder.json(of: record, type: "Other"), as: UTF8.self),
            equals:
                #"{"depotNumber":3,"streetName":null,"_meta":{"place":9,"revision":7,"type":"Other"}}"#
        )
    }

    @Test func `a default value does not take the place of nil`() throws {
        let coder = RecordCoder(Parcel.schema, in: .default)
        let record = Record(identifier: "", revision: 1, values: ["pieceCount": .null])
        let model = try coder.model(of: record)
        expect(coder.object(of: model)["pieceCount"], equals: .null)
        expect(coder.object(of: coder.blank())["pieceCount"], equals: 1)
    }

    @Test func `a model in place of a foreign key gives its identifier`() throws {
        let context = ValueTransformerContext(name: "api", keyCase: .snake)
        let coder = RecordCoder(Parcel.schema, in: context)
        let values = try coder.values(of: [
            "sender": ["depot_number": 4, "street_name": "Main"],
            "past_depots": [["depot_number": 5], 6],
        ])
        expect(values, equals: ["sender": 4, "pastDepots": [5, 6]])
        let error = #expect(throws: ImportError.self) {
            try coder.values(of: [
                "sender": ["street_name": "Main"], "past_depots": [4, ["depot_number": nil]],
            ])
        }
        expect(error?.issues.map(\.path.jsonPointer), equals: ["/sender", "/past_depots/1"])
    }

    @Test func `what does not fit is reported by the keys of the JSON`() throws {
        let context = ValueTransformerContext(name: "api", keyCase: .snake)
        let coder = RecordCoder(Parcel.schema, in: context)
        let error = #expect(throws: ImportError.self) {
            try coder.values(of: [
                "first_name": 3, "old_labels": [["line_one": "x"], ["line_one": 7]],
            ])
        }
        expect(
            error?.issues.map(\.path.jsonPointer).sorted(),
            equals: [
                "/first_name", "/old_labels/1/line_one",
            ]
        )
    }

    @Test func `a stored value that does not fit is an error`() {
        let coder = RecordCoder(Depot.schema, in: .default)
        let record = Record(identifier: 3, revision: 1, values: ["depotNumber": "x"])
        #expect(throws: StoreError.self) { try coder.json(of: record) }
    }

    @Test func `a note is taken from an object only if it is one`() {
        var object: AttributeDictionary = ["a": 1, "_meta": ["revision": 3, "place": "x"]]
        expect(RecordNote.take(from: &object), equals: RecordNote(revision: 3))
        expect(object, equals: ["a": 1])
        expect(RecordNote.take(from: &object), equals: nil)
        object["_meta"] = 3
        expect(RecordNote.take(from: &object), equals: nil)
    }
}

/// Whether both have the same bits, dates to the microsecond.
func same(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.date(let left), .date(let right)):
        abs(left.timeIntervalSince(right)) < 0.000_001
    case (.array(let left), .array(let right)):
        left.count == right.count && zip(left, right).allSatisfy { same($0, $1) }
    case (.dictionary(let left), .dictionary(let right)):
        left.count == right.count
            && left.allSatisfy { key, value in right[key].map { same(value, $0) } ?? false }
    default: left == right
    }
}

extension SplitMix {
    mutating func wireText() -> String {
        let parts = [
            "", "a", "B c", "\u{0}", "é", "e\u{301}", "\"\\/", "日本", "$date",
            "2026-01-01T00:00:00Z",
        ]
        return (0..<Int.random(in: 0...3, using: &self)).map { _ in
            parts.randomElement(using: &self) ?? ""
        }
        .joined()
    }

    mutating func date() -> Date {
        Date(
            timeIntervalSinceReferenceDate: Double(
                Int64.random(in: -1_000_000_000_000_000...1_000_000_000_000_000, using: &self)
            ) / 1_000_000
        )
    }

    mutating func double() -> Double {
        let values = [0, -0.0, 1, 1e300, .leastNonzeroMagnitude, 0.1, -2.5, 1e15]
        return values.randomElement(using: &self) ?? 0
    }

    mutating func data() -> Data {
        Data(
            (0..<Int.random(in: 0...5, using: &self)).map { _ in
                UInt8.random(in: 0...255, using: &self)
            }
        )
    }

    /// Anything that can be stored.
    mutating func value(depth: Int = 2) -> AttributeValue {
        switch Int.random(in: 0...(depth == 0 ? 6 : 8), using: &self) {
        case 0: .bool(Bool.random(using: &self))
        case 1: .int(Int64.random(in: .min ... .max, using: &self))
        case 2: .double(double())
        case 3: .string(wireText())
        case 4: .data(data())
        case 5: .date(date())
        case 6: .null
        case 7: .array((0..<2).map { _ in value(depth: depth - 1) })
        default:
            .dictionary(
                Dictionary((0..<2).map { _ in (wireText(), value(depth: depth - 1)) }) { $1 }
            )
        }
    }

    mutating func maybe(_ value: AttributeValue) -> AttributeValue {
        Bool.random(using: &self) ? value : .null
    }

    mutating func label() -> AttributeValue {
        var label: AttributeDictionary = [:]
        if Bool.random(using: &self) { label["lineOne"] = .string(wireText()) }
        if Bool.random(using: &self) { label["printedAt"] = .date(date()) }
        if Bool.random(using: &self) {
            let extra = value()
            if !extra.isNull { label["anyExtra"] = extra }
        }
        return .dictionary(label)
    }

    mutating func parcel() -> Record {
        let values: [FieldKey: AttributeValue] = [
            "id": .string(wireText()), "firstName": maybe(.string(wireText())),
            "weight": maybe(.double(double())),
            "pieceCount": maybe(.int(Int64.random(in: .min ... .max, using: &self))),
            "isFragile": maybe(.bool(Bool.random(using: &self))), "sentAt": maybe(.date(date())),
            "photo": maybe(.data(data())),
            "tags": maybe([.string(wireText()), .string(wireText())]),
            "stops": maybe([.date(date())]),
            ["homeAddress", "cityName"]: maybe(.string(wireText())),
            "anything": value(),
            "things": maybe(.dictionary([wireText(): value(), "x": value()])),
            "-a.b,c\\d": maybe(.string(wireText())), "sender": maybe(3),
            "pastDepots": maybe([1, 2]),
            "label": maybe(label()), "oldLabels": maybe([label(), label()]),
        ]
        return Record(
            identifier: "p",
            revision: Int64.random(in: 1...(.max), using: &self),
            values: values,
            place: Int64.random(in: 0...9, using: &self)
        )
    }
}
