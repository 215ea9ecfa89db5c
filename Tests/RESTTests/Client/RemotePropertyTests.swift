import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// Random models by a client, a server and another client.
@Suite struct RemotePropertyTests {
    @Test(arguments: [
        ValueTransformerContext.default, ValueTransformerContext(name: "snake", keyCase: .snake),
        ValueTransformerContext(name: "kebab", keyCase: .kebab, explicitNull: false),
    ])
    func `random models come back as they were sent`(
        _ context: ValueTransformerContext
    ) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let memory = MemoryModelStore()
        let types: [any Model.Type] = [Parcel.self, Depot.self]
        let store = try ServedAPI(memory, types, context: context)
        let other = try ServedAPI(memory, types, context: context)
        for round in 0..<40 {
            let parcel = Parcel.random(number: round, &random)
            _ = try await store.create(parcel).value
            let expected = try await memory.records.record(
                .string(parcel.id.value ?? ""),
                of: Parcel.schema
            ).value
            let mine = parcel.recordValues
            expect(
                areSame(mine, expected?.values ?? [:]),
                "seed \(seed), round \(round): \(mine) became \(String(describing: expected?.values))"
            )
            let read = try await other.lookup(Parcel.self, identifier: parcel.id.value ?? "").value
            expect(areSame(mine, read.recordValues), "seed \(seed), round \(round)")
            read.edit(&random)
            _ = try await other.update(read).value
            _ = try await store.lookup(Parcel.self, identifier: parcel.id.value ?? "").value
            expect(
                areSame(parcel.recordValues, read.recordValues),
                "seed \(seed), round \(round): \(parcel.recordValues), \(read.recordValues)"
            )
        }
        let all = try await other.list(Parcel.self, orderBy: .ascending(\.pieceCount)).value
        let own = try await memory.list(Parcel.self, orderBy: .ascending(\.pieceCount)).value
        expect(all.map(\.id.value), equals: own.map(\.id.value), "seed \(seed)")
    }

    private func areSame(
        _ left: [FieldKey: AttributeValue],
        _ right: [FieldKey: AttributeValue]
    ) -> Bool {
        let keys = Set(left.keys).union(right.keys)
        return keys.allSatisfy { (left[$0] ?? .null).isSame(as: right[$0] ?? .null) }
    }
}

extension Parcel {
    fileprivate var recordValues: [FieldKey: AttributeValue] {
        RecordCoder(Parcel.schema, in: .default).values(of: self)
    }

    fileprivate static func random(number: Int, _ random: inout SplitMix) -> Parcel {
        let parcel = Parcel()
        let odd = ["a/b", "..", "é", "a?b#c", "%2F", " ", "日本", "a\u{0}b", "+", "&=;"]
        parcel.id.value = "\(odd.randomElement(using: &random) ?? "")\(number)"
        parcel.edit(&random)
        return parcel
    }

    fileprivate func edit(_ random: inout SplitMix) {
        func maybe<Value>(_ field: Field<Value>, _ make: (inout SplitMix) -> Value) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: break
            case 1: field.value = nil
            default: field.value = make(&random)
            }
        }
        maybe(firstName) { Self.text(&$0) }
        maybe(weight) {
            [-0.0, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 3][
                Int.random(in: 0..<5, using: &$0)
            ]
        }
        maybe(pieceCount) {
            [0, -1, Int.max, Int.min, 1 << 53 + 1][Int.random(in: 0..<5, using: &$0)]
        }
        maybe(isFragile) { Bool.random(using: &$0) }
        maybe(sentAt) { Self.date(&$0) }
        maybe(photo) { random in
            Data(
                (0..<Int.random(in: 0..<9, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            )
        }
        maybe(tags) { random in
            (0..<Int.random(in: 0..<3, using: &random)).map { _ in Self.text(&random) }
        }
        maybe(stops) { random in
            (0..<Int.random(in: 0..<3, using: &random)).map { _ in Self.date(&random) }
        }
        maybe(city) { Self.text(&$0) }
        maybe(anything) { Self.value(&$0, depth: 3) }
        maybe(things) { ["$date": Self.value(&$0, depth: 2), "b": Self.value(&$0, depth: 1)] }
        maybe(oddName) { Self.text(&$0) }
        maybe(label) { random in
            let label = ParcelLabel()
            label.lineOne.value = Self.text(&random)
            label.printedAt.value = Self.date(&random)
            label.anyExtra.value = Self.value(&random, depth: 2)
            return label
        }
        maybe(sender) { random in
            let depot = Depot()
            depot.depotNumber.value = Int.random(in: 1..<9, using: &random)
            return depot
        }
    }

    private static func text(_ random: inout SplitMix) -> String {
        let parts = [
            "", "a", "\"", "\\", "\u{0}", "é", "e\u{301}", "\u{1F600}", "\n", "</script>",
            "\u{2028}",
        ]
        return (0..<Int.random(in: 0..<5, using: &random))
            .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    }

    private static func date(_ random: inout SplitMix) -> Date {
        // Microseconds are what stores keep.
        Date(
            timeIntervalSince1970: Double(
                Int64.random(in: -4_000_000_000...4_000_000_000, using: &random)
            ) / 8
        )
    }

    private static func value(_ random: inout SplitMix, depth: Int) -> AttributeValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &random) {
        case 0: true
        case 1: .int(Int64.random(in: .min ... .max, using: &random))
        case 2: .double(Double(Int.random(in: -9...9, using: &random)))
        case 3: .string(text(&random))
        case 4: .date(date(&random))
        case 5: .data(Data([UInt8.random(in: 0...255, using: &random)]))
        case 6: .string("2026-01-02T03:04:05Z")
        case 7:
            .array(
                (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    value(&random, depth: depth - 1)
                }
            )
        default: ["$data": value(&random, depth: depth - 1), "k": value(&random, depth: depth - 1)]
        }
    }
}
