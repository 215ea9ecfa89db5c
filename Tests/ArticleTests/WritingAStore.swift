import ModelKit
import ModelKitTesting
import Testing

@Suite struct WritingAStore {
    final class Person: Model {
        let id = Field<String>()

        convenience init(_ id: String) {
            self.init()
            self.id.value = id
        }
    }

    final class LoggingRecords: RecordStore {
        let records: any RecordStore
        let log: @Sendable (String) -> Void

        init(_ records: any RecordStore, log: @escaping @Sendable (String) -> Void) {
            self.records = records
            self.log = log
        }

        func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
            for write in writes { log("write \(write.schema.name)") }
            return records.perform(writes)
        }

        func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
            log("fetch \(schema.name)")
            return records.fetch(query, of: schema)
        }

        func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
            log("record \(schema.name)")
            return records.record(identifier, of: schema)
        }
    }

    final class LoggingStore: RecordModelStore {
        let records: any RecordStore
        let session = StoreSession()

        init(log: @escaping @Sendable (String) -> Void) {
            records = LoggingRecords(MemoryRecordStore(), log: log)
        }
    }

    @Test(arguments: StoreContract.cases)
    func `the store keeps the contract`(_ part: StoreContract.Case) async throws {
        try await part.run { LoggingStore { _ in } }
    }

    @Test(arguments: StoreContract.cases)
    func `a store that can do more keeps the contract within limits`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run(within: [.textsWithoutZero, .numbersWithGaps]) { LoggingStore { _ in } }
    }

    private func error<Value>(of promise: Promise<Value>) async -> (any Error)? {
        do {
            _ = try await promise.value
            return nil
        } catch {
            return error
        }
    }

    @Test func `the examples of the article run`() async throws {
        let log = Log<String>()
        let logging = LoggingStore { log.add($0) }
        try await logging.create(Person("p1"))
        _ = try await logging.lookup(Person.self, identifier: "p1")
        #expect(log.entries == ["write Person", "record Person"])

        let store = FailingStore(MemoryModelStore())
        let offline = StoreError.unavailable("offline", .notApplied)
        store.script = [.fail(offline, on: .write), .loseAnswer(on: .write)]
        let person = Person("p1")
        print(await error(of: store.create(person)) ?? "none")  // offline
        print(await error(of: store.create(person)) ?? "none")  // the answer was lost
        print(store.count(of: .write))  // 2
        #expect(store.count(of: .write) == 2)
        #expect(store.script.isEmpty)

        let clock = ManualClock()
        let slow = FailingStore(MemoryModelStore(), clock: clock)
        slow.script = [.delay(.seconds(30), on: .read)]
        let list: Promise = slow.list(Person.self)
        await clock.wait(for: 1)
        print(list.result == nil)  // true
        #expect(list.result == nil)
        clock.advance(by: .seconds(30))
        print(try await list.value.count)  // 0
    }
}

extension WritingAStore {
    @Test func `a failing store waits and lets uses through`() async throws {
        let (isBack, network) = Promise<Void>.withResolvers()
        let patient = FailingStore(MemoryModelStore())
        patient.script = [.pass(on: .write), .hold(until: isBack, on: .write, of: "Person")]
        try await patient.create(Person("p1"))  // is let through
        let second: Promise = patient.create(Person("p2"))
        print(second.result == nil)  // true: it waits
        #expect(second.result == nil)
        network.fulfill(())
        print(try await second.value.identifier ?? "")  // p2
        #expect(try await second.value.identifier == "p2")
    }
}
