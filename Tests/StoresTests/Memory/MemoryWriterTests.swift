import Dispatch
import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Thing: Model {
    let id = Field<Int>()
    let name = Field<String>()
}

/// Who writes when others write, too.
@Suite struct MemoryWriterTests {
    private func write(_ number: Int64) -> RecordWrite {
        RecordWrite(.create(.int(number), [:]), of: Thing.schema)
    }

    @Test func `a write is made when it returns, though another thread is being notified of one`()
        async throws
    {
        let store = MemoryModelStore()
        let records = store.records
        let (isNotified, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let observation = records.observeChanges { changes in
            if changes.changes.first?.identifier != 1 { return }
            isNotified.signal()
            _ = mayReturn.wait(timeout: .now() + 10)
        }
        let thread = Thread { [write = write(1)] in _ = records.perform([write]) }
        thread.start()
        // Of a queue's thread, which may wait.
        let (isSettled, found) = try await Promise { resolver in
            DispatchQueue.global().async {
                _ = isNotified.wait(timeout: .now() + 10)
                let thing = Thing()
                thing.id.value = 2
                let isSettled = store.create(thing).isSettled
                let found = try? store.lookupImmediately(Thing.self, identifier: 2)
                mayReturn.signal()
                resolver.fulfill((isSettled, found === thing))
            }
        }.value
        expect(isSettled)
        expect(found)
        withExtendedLifetime(observation) {}
    }

    @Test func `a transaction returns, though others go on to come`() async throws {
        let store = MemoryRecordStore()
        let made = Log<Int>()
        let returned = DispatchSemaphore(value: 0)
        let hasReturned = Log<Bool>()
        // Each one waits until another thread has asked for the next one, and one of them for the first to return.
        @Sendable func transaction(_ number: Int) -> Promise<Void> {
            store.transaction { _ in
                made.add(number)
                if number == 500 { return }
                if number == 100 {
                    hasReturned.add(returned.wait(timeout: .now() + 60) == .success)
                }
                let isAsked = DispatchSemaphore(value: 0)
                let thread = Thread {
                    _ = transaction(number + 1)
                    isAsked.signal()
                }
                thread.start()
                isAsked.wait()
            }
        }
        DispatchQueue.global().async {
            _ = transaction(1)
            returned.signal()
        }
        for _ in 0..<12_000 where made.entries.count < 500 {
            try await Task.sleep(for: .milliseconds(10))
        }
        expect(made.entries, equals: Array(1...500))
        expect(hasReturned.entries, equals: [true])
    }

    @Test func `writes that come while a transaction is under way are made after it, in order`()
        async throws
    {
        let store = MemoryRecordStore()
        let others = Log<Promise<[RecordReceipt]>>()
        let writes = [write(1), write(2), write(1)]
        let observed = Log<Identifier>()
        let observation = store.observeChanges { changes in
            for change in changes.changes {
                if let known = change.identifier { observed.add(known) }
            }
        }
        let seen = try await store.transaction { transaction in
            let areAsked = DispatchSemaphore(value: 0)
            let thread = Thread {
                for write in writes { others.add(store.perform([write])) }
                others.add(store.perform([]))
                areAsked.signal()
            }
            thread.start()
            areAsked.wait()
            expect(others.entries.allSatisfy { !$0.isSettled })
            others.entries[1].cancel()
            _ = try transaction.perform([RecordWrite(.create(9, [:]), of: Thing.schema)])
            return try transaction.fetch(RecordQuery(), of: Thing.schema).count
        }.value
        expect(seen, equals: 1)
        _ = try await others.entries[0].value
        await #expect(throws: StoreError.cancelled(.notApplied)) {
            try await others.entries[1].value
        }
        await #expect(throws: StoreError.alreadyExists(type: "Thing", identifier: 1)) {
            try await others.entries[2].value
        }
        try await expect(others.entries[3].value.isEmpty)
        let found = try await store.fetch(RecordQuery(), of: Thing.schema).value
        expect(found.map(\.identifier), equals: [9, 1])
        expect(observed.entries, equals: [9, 1])
        withExtendedLifetime(observation) {}
    }
}
