import Foundation
import ModelKit
import ModelKitREST
import ModelKitServer
import Testing

@Suite struct ServingModels {
    typealias Company = RESTStores.Company
    typealias Employee = RESTStores.Employee

    @Test func `the examples of the article run`() async throws {
        let store = MemoryModelStore()
        var handler = try RESTHandler(store, [Company.self, Employee.self])
        let created = await handler.handle(
            HTTPRequest(.post, "/companies", body: Data(#"{"name": "Acme"}"#.utf8))
        )
        print(created.status, created.headers["Location"] ?? "")  // 201 /companies/1
        let answer = await handler.handle(HTTPRequest(.get, "/companies?name[prefix]=A&sort=-name"))
        #expect(created.status == 201)
        #expect(created.headers["Location"] == "/companies/1")
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("Acme"))

        let refused = await handler.handle(
            HTTPRequest(.post, "/companies", body: Data(#"{"name": " "}"#.utf8))
        )
        print(refused.status)  // 422
        #expect(refused.status == 422)
        #expect(String(decoding: refused.body, as: UTF8.self).contains(#""pointer":"/name""#))

        var edit = HTTPRequest(.patch, "/companies/1", body: Data(#"{"name": "Acme & Sons"}"#.utf8))
        edit.headers["If-Match"] = created.headers["ETag"]
        print(await handler.handle(edit).status)  // 200
        print(await handler.handle(edit).status)  // 412
        #expect(await handler.handle(edit).status == 412)
        let stored = try await store.lookup(Company.self, identifier: 1)
        #expect(stored.name.value == "Acme & Sons")

        handler.authorize = { access in
            guard access.request.headers["Authorization"] == "Bearer secret" else {
                return .unauthorized()
            }
            if access.action == .delete { return .forbidden }
            return access.type == Company.self ? .only(\Company.name != "Hidden") : .allowed
        }
        print(await handler.handle(HTTPRequest(.get, "/companies/1")).status)  // 401
        var get = HTTPRequest(.get, "/companies/1")
        #expect(await handler.handle(get).status == 401)
        get.headers["Authorization"] = "Bearer secret"
        #expect(await handler.handle(get).status == 200)
        get.method = .delete
        #expect(await handler.handle(get).status == 403)
        get = HTTPRequest(.get, "/companies/1/employees", headers: get.headers)
        #expect(await handler.handle(get).status == 200)

        handler.acceptsIdentifiers = { access in access.type != Company.self }
        let numbered = Data(#"{"id": 7, "name": "Acme"}"#.utf8)
        let headers: HTTPHeaders = ["Authorization": "Bearer secret"]
        let unwanted = await handler.handle(
            HTTPRequest(.post, "/companies", headers: headers, body: numbered)
        )
        print(unwanted.status)  // 422
        #expect(unwanted.status == 422)
        #expect(String(decoding: unwanted.body, as: UTF8.self).contains(#""pointer":"/id""#))

        handler.limits.body = 100_000
        handler.limits.maximumPage = 200
        handler.failed = { failure in print(failure.status, failure.error) }
        let large = HTTPRequest(.post, "/companies", body: Data(count: 100_001))
        #expect(await handler.handle(large).status == 413)
    }
}
