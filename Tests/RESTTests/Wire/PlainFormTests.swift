import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// Of which a record is written without a model.
final class Crate: Model {
    let id = Field<Int>()
    let ownName = Field<String>(value: "x")
    let weight = Field<Double>()
    let isOpen = Field<Bool>()
    let madeAt = Field<Date>()
    let photo = Field<Data>()
    let tags = Field<String>()*
    let sizes = Field<Int>()*
    let depot = ModelField<Depot>(foreignKey: true)
    let pastDepots = ModelField<Depot>(foreignKey: true)*
}

/// As a crate, but with a form of its own in one context.
final class Barrel: Model {
    let id = Field<Int>()
    let depot = ModelField<Depot>(foreignKey: true).transform(
        with: .fields(\.streetName),
        in: ValueTransformerContext(name: "api")
    )
    let madeAt = Field<Date>().transform(
        with: .epochSeconds,
        in: ValueTransformerContext(name: "api")
    )
}

@Suite struct PlainFormTests {
    @Test func `a record has the same JSON with a model and without`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        var dates = ValueTransformerContext(name: "dates", keyCase: .kebab)
        dates.transform(Date.self, with: .epochSeconds)
        for context in [
            .default, ValueTransformerContext(name: "api", keyCase: .snake),
            ValueTransformerContext(name: "api", explicitNull: false), dates,
        ] {
            let coder = RecordCoder(Crate.schema, in: context)
            for _ in 0..<200 {
                let record = random.crate()
                let note = RecordNote(of: record, type: "a\"b")
                let json = try coder.json(of: record, type: "a\"b")
                expect(
                    json,
                    equals: (try coder.json(of: coder.model(of: record), note)),
                    "seed \(seed)"
                )
            }
        }
    }

    @Test func `forms of a context count`() throws {
        let values: [FieldKey: AttributeValue] = [
            "id": 1, "depot": 3, "madeAt": .date(Date(timeIntervalSince1970: 5)),
        ]
        let record = Record(identifier: 1, revision: 2, values: values)
        let api = RecordCoder(Barrel.schema, in: ValueTransformerContext(name: "api"))
        expect(
            String(decoding: try api.json(of: record), as: UTF8.self),
            equals: #"{"depot":{},"id":1,"madeAt":5,"_meta":{"revision":2}}"#
        )
        let plain = RecordCoder(Barrel.schema, in: .default)
        expect(
            String(decoding: try plain.json(of: record), as: UTF8.self),
            equals: #"{"depot":3,"id":1,"madeAt":"1970-01-01T00:00:05Z","_meta":{"revision":2}}"#
        )
    }

    @Test func `a value of another kind is an error`() {
        let coder = RecordCoder(Crate.schema, in: .default)
        for (key, value) in [
            ("ownName", 3), ("depot", ["depotNumber": 3]), ("weight", "x"),
            ("weight", .double(.nan)),
        ] as [(FieldKey, AttributeValue)] {
            let record = Record(identifier: 1, revision: 1, values: ["id": 1, key: value])
            #expect(throws: StoreError.self, "\(value)") { try coder.json(of: record) }
        }
    }
}

extension SplitMix {
    fileprivate mutating func crate() -> Record {
        let values: [FieldKey: AttributeValue] = [
            "id": .int(Int64.random(in: .min ... .max, using: &self)),
            "ownName": maybe(.string(wireText())), "weight": maybe(.double(double())),
            "isOpen": maybe(true), "madeAt": maybe(.date(date())), "photo": maybe(.data(data())),
            "tags": maybe([.string(wireText()), .string(wireText())]), "sizes": maybe([1, -2]),
            "depot": maybe(3), "pastDepots": maybe([1, 2]),
        ]
        return Record(
            identifier: 1,
            revision: Int64.random(in: 1...(.max), using: &self),
            values: values,
            place: Int64.random(in: 0...9, using: &self)
        )
    }
}
