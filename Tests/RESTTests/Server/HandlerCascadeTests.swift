import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import Synchronization
import TestSupport
import Testing

/// Deletions of models with others that are kept elsewhere.
@Suite struct HandlerCascadeTests {
    final class Branch: Model {
        let id = Field<String>()
        let note = Field<String>()
        let branches = ModelField<Branch>(foreignKey: true, cascadeDelete: true)*
    }

    /// A handler of 1, which has 2 and 5, of 2, which has 3, and of 4.
    private func serving(_ isOfModelsAlone: Bool) async throws -> Serving {
        var serving = try Serving.of([Branch.self])
        if isOfModelsAlone { serving.handler = try RESTHandler(PlainStore(), [Branch.self]) }
        for (id, parts) in [("3", []), ("2", ["3"]), ("5", []), ("1", ["2", "5"]), ("4", [])] {
            let parts = AttributeValue.array(parts.map { .string($0) })
            let branch: AttributeValue = ["id": .string(id), "branches": parts]
            try await expect(serving.ask(.post, "/branches", branch).status, equals: 201)
        }
        return serving
    }

    private func left(_ serving: Serving) async throws -> [AttributeValue] {
        try await serving.ask(.get, "/branches?sort=id").identifiers
    }

    @Test(arguments: [false, true])
    func `what is only a foreign key goes with a deleted model, whatever the store`(
        _ isOfModelsAlone: Bool
    ) async throws {
        var serving = try await serving(isOfModelsAlone)
        // Nobody is asked about it.
        serving.handler.authorize = { access in
            access.action == .delete && access.identifier != "1" ? .forbidden : .allowed
        }
        try await expect(serving.ask(.delete, "/branches/2").status, equals: 403)
        try await expect(serving.ask(.delete, "/branches/1").status, equals: 204)
        try await expect(left(serving), equals: ["4"])
    }

    @Test(arguments: [false, true])
    func `what goes with a deleted model of a batch is deleted once, and not written`(
        _ isOfModelsAlone: Bool
    ) async throws {
        let serving = try await serving(isOfModelsAlone)
        func batch(_ writes: [AttributeValue]) async throws -> Serving.Answer {
            try await serving.ask(.post, "/batch", ["writes": .array(writes)])
        }
        func deletion(_ id: String) -> AttributeValue {
            ["method": "DELETE", "path": .string("/branches/" + id)]
        }
        let change: AttributeValue = [
            "method": "PATCH", "path": "/branches/3", "body": ["note": "new"],
        ]
        for writes in [[deletion("1"), change], [change, deletion("1")]] {
            let refused = try await batch(writes)
            expect(refused.status == 400 && refused["code"] == "unsupported")
        }
        try await expect(left(serving), equals: ["1", "2", "3", "4", "5"])
        let made = try await batch([deletion("3"), deletion("1"), deletion("5")])
        expect(made.status, equals: 200)
        try await expect(left(serving), equals: ["4"])
    }

    @Test func `a model whose parts are gone already is deleted`() async throws {
        let serving = try await serving(false)
        _ = try await serving.store.records.perform([
            RecordWrite(.delete("2", revision: nil), of: Branch.schema)
        ]).value
        try await expect(serving.ask(.delete, "/branches/1").status, equals: 204)
        try await expect(left(serving), equals: ["3", "4"])
    }

    @Test(arguments: [nil, "\"1\""])
    func `what comes back to the deleted model leaves it as it was asked about`(
        _ ifMatch: String?
    ) async throws {
        let serving = try await serving(false)
        let loop: AttributeValue = ["branches": ["1"]]
        try await expect(serving.ask(.patch, "/branches/5", loop).status, equals: 200)
        // Somebody takes the others out of it once it was read.
        let change = RecordWrite(
            .update("1", ["branches": []], revision: nil),
            of: Branch.schema
        )
        let store = Meddling(MeddlingRecords(inner: serving.store.records, change: change))
        let handler = try RESTHandler(store, [Branch.self])
        let answer = await handler.handle(
            HTTPRequest(
                .delete,
                "/branches/1",
                headers: ifMatch.map { ["If-Match": $0] } ?? [:]
            )
        )
        expect(answer.status, equals: (ifMatch == nil ? 204 : 412))
        let others = ifMatch == nil ? ["2", "3", "4", "5"] : ["1", "2", "3", "4", "5"]
        try await expect(left(serving), equals: others.map { .string($0) })
    }
}

private final class Meddling: RecordModelStore {
    let records: any RecordStore
    let session = StoreSession()
    init(_ records: MeddlingRecords) { self.records = records }
}

/// In which a record changes when another one is read for the first time.
private final class MeddlingRecords: RecordStore {
    let inner: any RecordStore
    let change: RecordWrite
    private let reads = Mutex(0)

    init(inner: any RecordStore, change: RecordWrite) {
        (self.inner, self.change) = (inner, change)
    }

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { inner.perform(writes) }
    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        inner.fetch(query, of: schema)
    }
    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        let number = reads.withLock { count in
            if identifier == "5" { count += 1 }
            return count
        }
        if identifier == "5", number == 1 { _ = inner.perform([change]) }
        return inner.record(identifier, of: schema)
    }
}
