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

    /// Judges nothing, and notes when it is asked, and when it is freed.
    private final class Judge: CommitJudge {
        let schema = Person.schema
        let partners: Set<String> = []
        let needsOldRows = true
        private let asked: @Sendable () -> Void
        private let freed: @Sendable () -> Void

        init(
            asked: @escaping @Sendable () -> Void = {},
            freed: @escaping @Sendable () -> Void = {}
        ) {
            (self.asked, self.freed) = (asked, freed)
        }

        deinit { freed() }

        func needsRows(of schema: ModelSchema) -> Bool {
            asked()
            return true
        }

        func take(_ changes: RecordChanges?) {}
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
