import Dispatch
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@Suite struct CommitJudgeTests {
    private final class Person: Model {
        let id = Field<Int>()
    }

    private final class Place: Model {
        let id = Field<Int>()
    }

    /// Judges nothing, and notes when it is asked, what it takes, and when it is freed.
    private final class Judge: CommitJudge {
        let schema = Person.schema
        let partners: Set<String>
        let needsOldRows = true
        let taken = Log<Set<String>?>()
        private let asked: @Sendable () -> Void
        private let freed: @Sendable () -> Void

        init(
            partners: Set<String> = [],
            asked: @escaping @Sendable () -> Void = {},
            freed: @escaping @Sendable () -> Void = {}
        ) {
            (self.partners, self.asked, self.freed) = (partners, asked, freed)
        }

        deinit { freed() }

        func needsRows(of schema: ModelSchema) -> Bool {
            asked()
            return true
        }

        func take(_ changes: RecordChanges?) { taken.add(changes?.types) }
        func notify() {}
    }

    @Test func `of a commit of very many it is not kept what was there before`() throws {
        let observers = RecordObservers()
        let observation = observers.add(Judge())
        let old = try #require(observers.oldRecords)
        var asked = 0
        for number in 0..<25_000 as Range<Int64> {
            old.note(.int(number), Person.schema) {
                asked += 1
                return nil
            }
        }
        expect(asked, equals: 10_000)
        observation.end()
        expect(observers.oldRecords == nil)
    }

    @Test func `a commit is judged by those alone whom its types concern`() async throws {
        let store = MemoryModelStore()
        let records = try #require(store.records as? any JudgedRecords)
        let (own, related) = (Judge(), Judge(partners: ["Place"]))
        let observations = [own, related].map { records.observers.add($0) }
        _ = try await store.create(Place()).value
        _ = try await store.create(Person()).value
        _ = try await store.perform([.create(Place()), .create(Person())]).value
        // Of names alone nobody knows whom they concern.
        records.observers.notify(RecordChanges([.init(type: "Place", identifier: nil)]))
        expect(own.taken.entries, equals: [["Person"], ["Place", "Person"], ["Place"]])
        let all: [Set<String>?] = [["Place"], ["Person"], ["Place", "Person"], ["Place"]]
        expect(related.taken.entries, equals: all)
        withExtendedLifetime(observations) {}
    }

    @Test func `whoever ends to judge while a commit is judged is freed without the store's lock`()
    {
        let store = MemoryModelStore()
        let (asked, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let wasFree = Log<Bool>()
        // Nobody else keeps it.
        let observation = (store.records as? any JudgedRecords)?.observers.add(
            Judge(
                asked: {
                    asked.signal()
                    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.2)
                },
                freed: {
                    let found = DispatchSemaphore(value: 0)
                    DispatchQueue.global().async {
                        _ = store.records.fetch(RecordQuery(), of: Person.schema)
                        found.signal()
                    }
                    wasFree.add(found.wait(timeout: .now() + 10) == .success)
                }
            )
        )
        DispatchQueue.global().async {
            asked.wait()
            observation?.end()
            ended.signal()
        }
        _ = store.records.perform([RecordWrite(.create(1, [:]), of: Person.schema)])
        ended.wait()
        expect(wasFree.entries, equals: [true])
    }
}
