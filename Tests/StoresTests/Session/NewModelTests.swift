import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import Testing

/// Models that a store makes of records.
@Suite struct NewModelTests {
    final class Signal: Model {
        let id = Field<Int>()
        let before = Field<Int>()
        let level = Field<Int>()
        let after = Field<Int>()
        let note = Field<String>().require(.maxLength(3))

        init() {
            level --> { [before, after] level in
                guard let level else { return }
                before.value = level * 10
                after.value = level * 10
            }
        }
    }

    final class Plain: Model {
        let id = Field<Int>()
        let name = Field<String>(value: "none")
        let weight = Field<Double>()
        let born = Field<Date>()
        let isOn = Field<Bool>()
    }

    final class Invoice: Model {
        let id = Field<Int>()
        let net = Field<Int>()
        let tax = Field<Int>()
        let total: Computed<Int>

        init() {
            total = Computed { [net, tax] in (net.value ?? 0) + (tax.value ?? 0) }
            net --> { [total] _ in _ = total.value }
        }
    }

    private let store = MemoryModelStore()

    @Test func `a field that an observer has set while its record was read is edited`() throws {
        let values: [FieldKey: AttributeValue] = [
            "before": 1, "level": 2, "after": 3, "note": "a",
        ]
        let create = RecordWrite(.create(1, values), of: Signal.schema)
        _ = try store.records.perform([create]).wait()
        let signal = try #require(try store.listImmediately(Signal.self).first)
        #expect(signal.before.value == 20)
        #expect(signal.after.value == 3)
        _ = try store.update(signal).wait()
        let record = try store.records.record(1, of: Signal.schema).wait()
        #expect(record?.revision == 2)
        #expect(record?["before"] == 20)
        #expect(record?["after"] == 3)
        // Of what is read and has nothing to be notified of, nothing is edited.
        signal.note.value = "b"
        _ = try store.update(signal).wait()
        #expect(try store.records.record(1, of: Signal.schema).wait()?["note"] == "b")
        _ = try store.update(signal).wait()
        #expect(try store.records.record(1, of: Signal.schema).wait()?.revision == 3)
    }

    @Test func `what an observer has computed while its record was read is computed anew`() throws {
        let create = RecordWrite(.create(1, ["net": 100, "tax": 7]), of: Invoice.schema)
        _ = try store.records.perform([create]).wait()
        let invoice = try #require(try store.listImmediately(Invoice.self).first)
        #expect(invoice.total.value == 107)
        // Of what was read, nothing is edited.
        _ = try store.update(invoice).wait()
        #expect(try store.records.record(1, of: Invoice.schema).wait()?.revision == 1)
        let written = Guarded<[RecordWrite.Action?]>([])
        let observation = store.records.observeChanges { changes in
            written.withLock { $0 += changes.changes.map(\.made?.write.action) }
        }
        invoice.tax.value = 8
        #expect(invoice.total.value == 108)
        _ = try store.update(invoice).wait()
        guard case .update(1, let values, _) = written.withLock({ $0.first ?? nil }) else {
            Issue.record("it was not written")
            return
        }
        #expect(values == ["tax": 8])
        observation?.end()
    }

    @Test(arguments: [1, 3, 200])
    func `models that are listed again and again are found, and take no room`(
        count: Int
    ) throws {
        let writes = (1...count).map { number in
            RecordWrite(
                .create(
                    .int(Int64(number)),
                    number % 2 == 0 ? ["name": .null] : ["name": "n", "isOn": true]
                ),
                of: Plain.schema
            )
        }
        _ = try store.records.perform(writes).wait()
        for round in 1...20 {
            let models = try store.listImmediately(Plain.self)
            #expect(models.count == count)
            #expect(models.map { $0.id.value ?? 0 } == Array(1...count))
            // Null takes the place of a default value.
            #expect(models.allSatisfy { $0.name.value == ($0.id.value ?? 0).name })
            for model in models where round % 5 == 0 {
                #expect(
                    try store.lookupImmediately(Plain.self, identifier: model.id.value ?? 0)
                        === model
                )
                model.weight.value = Double(round)
                _ = try store.update(model).wait()
            }
            #expect(store.session.identities.count <= 2 * count + 64)
        }
        let records = try store.records.fetch(RecordQuery(), of: Plain.schema).wait()
        #expect(records.allSatisfy { $0["weight"] == .double(20) && $0.revision == 5 })
    }
}

extension Int {
    fileprivate var name: String? { self % 2 == 0 ? nil : "n" }
}
