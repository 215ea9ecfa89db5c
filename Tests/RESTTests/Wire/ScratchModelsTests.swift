import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// Models that are read only for their values, of which a dictionary may refer to one around it.
@Suite struct ScratchModelsTests {
    final class Branch: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let parent = ModelField<Branch>()
        init() { ScratchModelsTests.made?.add(self) }
    }

    final class Crew: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let sailors = ModelField<Sailor>(
            inverse: \.crew,
            foreignKey: true,
            cascadeDelete: true
        )*
        let oars = ModelField<Oar>(inverse: \.crew)*
        init() {
            linkFields()
            ScratchModelsTests.made?.add(self)
        }
    }

    final class Sailor: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let crew = ModelField<Crew>(foreignKey: true)
        let friend = ModelField<Sailor>(foreignKey: true, cascadeDelete: true)
        init() {
            linkFields()
            ScratchModelsTests.made?.add(self)
        }
    }

    final class Oar: Model {
        let length = Field<Int>()
        let crew = ModelField<Crew>()
        init() {
            linkFields()
            ScratchModelsTests.made?.add(self)
        }
    }

    final class Galley: Model {
        let id = Field<Int>()
        let cook = ModelField<Cook>(inverse: \.galley, value: Cook())
        init() {
            linkFields()
            ScratchModelsTests.made?.add(self)
        }
    }

    final class Cook: Model {
        let galley = ModelField<Galley>()
        init() {
            linkFields()
            ScratchModelsTests.made?.add(self)
        }
    }

    final class Rower: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let galley = ModelField<Galley>(foreignKey: true)
    }

    // Safe: the list is guarded by the lock.
    final class Made: @unchecked Sendable {
        private struct Weak { weak let model: AnyObject? }
        private let lock = Lock()
        private var models: [Weak] = []

        func add(_ model: AnyObject) { lock.withLock { models.append(Weak(model: model)) } }
        var made: Int { lock.withLock { models.count } }
        var count: Int { lock.withLock { models }.filter { $0.model != nil }.count }
    }

    @TaskLocal static var made: Made?

    private let made = Made()

    init() { _ = (Branch.schema, Crew.schema, Sailor.schema, Oar.schema) }

    @Test func `what is read to take its values keeps nothing alive`() throws {
        let coder = RecordCoder(Branch.schema, in: .default)
        try Self.$made.withValue(made) {
            let cyclic: AttributeValue = ["id": 2, "parent": ["id": 2]]
            let values = try coder.values(of: ["parent": cyclic])
            expect(values["parent"], equals: cyclic)
            #expect(throws: ImportError.self) {
                try coder.values(of: ["parent": ["id": 3, "parent": ["id": 3], "name": 7]])
            }
            #expect(throws: ImportError.self) {
                try coder.values(of: ["id": 4, "parent": ["id": 4], "name": 7])
            }
            let record = Record(identifier: 1, revision: 1, values: ["parent": cyclic])
            _ = try coder.json(of: record)
        }
        expect(made.made >= 6)
        expect(made.count, equals: 0)
    }

    @Test func `a server keeps nothing of what it was sent`() async throws {
        let store = MemoryModelStore()
        let handler = try RESTHandler(store, [Branch.self])
        try await Self.$made.withValue(made) {
            let cyclic = #"{"id":1,"parent":{"id":2,"parent":{"id":2}}}"#
            await expect(handler.status(.post, "/branches", cyclic), equals: 201)
            let wrong = #"{"parent":{"id":3,"parent":{"id":3},"name":7}}"#
            await expect(handler.status(.post, "/branches", wrong), equals: 422)
            await expect(handler.status(.patch, "/branches/1", #"{"name":"a"}"#), equals: 200)
            await expect(handler.status(.put, "/branches/1", cyclic), equals: 200)
            await expect(handler.status(.get, "/branches/1", ""), equals: 200)
            let record = try await store.records.record(1, of: Branch.schema).value
            expect(record?["parent"], equals: ["id": 2, "parent": ["id": 2]])
            await expect(handler.status(.delete, "/branches/1", ""), equals: 204)
        }
        expect(made.made >= 6)
        expect(made.count, equals: 0)
    }

    @Test func `a server keeps nothing of models that have each other`() async throws {
        var handler = try RESTHandler(MemoryModelStore(), [Crew.self, Sailor.self])
        handler.authorize = { access in
            access.identifier == 3 && access.action == .update
                ? .only(\Sailor.name == "nobody") : .allowed
        }
        await Self.$made.withValue(made) {
            let crew = #"{"id":1,"sailors":[1,2,3],"oars":[{"length":4}]}"#
            await expect(handler.status(.post, "/crews", crew), equals: 201)
            for sailor in ["1,\"friend\":2", "2,\"friend\":2", "3,\"friend\":1"] {
                let body = #"{"crew":1,"id":\#(sailor)}"#
                await expect(handler.status(.post, "/sailors", body), equals: 201)
            }
            await expect(handler.status(.patch, "/crews/1", #"{"name":"a"}"#), equals: 200)
            await expect(handler.status(.put, "/crews/1", crew), equals: 200)
            await expect(handler.status(.patch, "/sailors/2", #"{"name":"a"}"#), equals: 200)
            await expect(handler.status(.patch, "/sailors/2", #"{"name":7}"#), equals: 422)
            await expect(handler.status(.patch, "/sailors/3", #"{"name":"a"}"#), equals: 404)
            await expect(handler.status(.delete, "/crews/1", ""), equals: 204)
            await expect(handler.status(.get, "/sailors/2", ""), equals: 404)
            await expect(handler.status(.get, "/sailors/3", ""), equals: 404)
        }
        expect(made.made >= 20)
        expect(made.count, equals: 0)
    }

    @Test func `a server keeps nothing of what foreign keys have by default`() async throws {
        _ = (Galley.schema, Cook.schema, Rower.schema)
        let handler = try RESTHandler(MemoryModelStore(), [Rower.self])
        await Self.$made.withValue(made) {
            await expect(handler.status(.post, "/rowers", #"{"id":1,"galley":2}"#), equals: 201)
            await expect(handler.status(.patch, "/rowers/1", #"{"name":"a"}"#), equals: 200)
            await expect(handler.status(.get, "/rowers/1", ""), equals: 200)
        }
        expect(made.made > 0)
        expect(made.count, equals: 0)
    }
}

extension RESTHandler {
    fileprivate func status(_ method: HTTPMethod, _ path: String, _ body: String) async -> Int {
        await handle(
            HTTPRequest(
                method,
                path,
                headers: ["Content-Type": "application/json"],
                body: Data(body.utf8)
            )
        ).status
    }
}
