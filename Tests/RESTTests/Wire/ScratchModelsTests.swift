import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import Testing

/// Models that are read only for their values, of which a dictionary may refer to one around it.
@Suite struct ScratchModelsTests {
    final class Branch: Model {
        @TaskLocal static var made: Made?
        let id = Field<Int>()
        let name = Field<String>()
        let parent = ModelField<Branch>()
        init() { Self.made?.add(self) }
    }

    // Safe: the list is guarded by the lock.
    final class Made: @unchecked Sendable {
        private struct Weak { weak let branch: Branch? }
        private let lock = Lock()
        private var branches: [Weak] = []

        func add(_ branch: Branch) { lock.withLock { branches.append(Weak(branch: branch)) } }
        var made: Int { lock.withLock { branches.count } }
        var count: Int { lock.withLock { branches }.filter { $0.branch != nil }.count }
    }

    private let made = Made()

    init() { _ = Branch.schema }

    @Test func `what is read to take its values keeps nothing alive`() throws {
        let coder = RecordCoder(Branch.schema, in: .default)
        try Branch.$made.withValue(made) {
            let cyclic: AttributeValue = ["id": 2, "parent": ["id": 2]]
            let values = try coder.values(of: ["parent": cyclic])
            #expect(values["parent"] == cyclic)
            #expect(throws: ImportError.self) {
                try coder.values(of: ["parent": ["id": 3, "parent": ["id": 3], "name": 7]])
            }
            #expect(throws: ImportError.self) {
                try coder.values(of: ["id": 4, "parent": ["id": 4], "name": 7])
            }
            let record = Record(identifier: 1, revision: 1, values: ["parent": cyclic])
            _ = try coder.json(of: record)
        }
        #expect(made.made >= 6)
        #expect(made.count == 0)
    }

    @Test func `a server keeps nothing of new models that it was sent`() async throws {
        let store = MemoryModelStore()
        let handler = try RESTHandler(store, [Branch.self])
        func send(_ method: HTTPMethod, _ path: String, _ body: String) async -> Int {
            await handler.handle(
                HTTPRequest(
                    method,
                    path,
                    headers: ["Content-Type": "application/json"],
                    body: Data(body.utf8)
                )
            ).status
        }
        try await Branch.$made.withValue(made) {
            let cyclic = #"{"id":1,"parent":{"id":2,"parent":{"id":2}}}"#
            #expect(await send(.post, "/branches", cyclic) == 201)
            let wrong = #"{"parent":{"id":3,"parent":{"id":3},"name":7}}"#
            #expect(await send(.post, "/branches", wrong) == 422)
            #expect(await send(.get, "/branches/1", "") == 200)
            let record = try await store.records.record(1, of: Branch.schema).value
            #expect(record?["parent"] == ["id": 2, "parent": ["id": 2]])
        }
        #expect(made.made >= 6)
        #expect(made.count == 0)
    }
}
