import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct RemoteAnswerTests {
    /// A transport whose answers a test gives.
    private final class Held: Sendable {
        let resolvers = Noted<Resolver<HTTPResponse>>()

        var transport: ClosureTransport {
            ClosureTransport { [resolvers] _, _ in
                let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
                resolvers.note(resolver)
                return promise
            }
        }

        func answer(_ number: Int, _ response: HTTPResponse) {
            resolvers.all[number].fulfill(response)
        }
    }

    private func customer(_ name: String, _ age: Int, revision: Int? = nil) -> HTTPResponse {
        let note = revision.map { ",\"_meta\":{\"revision\":\($0)}" } ?? ""
        return .json(
            "{\"id\":\"c1\",\"firstName\":\"\(name)\",\"age\":\(age),\"isActive\":true\(note)}"
        )
    }

    @Test(arguments: [false, true])
    func `an answer that a write has overtaken changes nothing`(_ hasRevisions: Bool) async throws {
        let held = Held()
        let store = TestAPI(held.transport, hasRevisions ? .plain : .djangoREST)
        let first: Promise = store.lookup(Customer.self, identifier: "c1")
        held.answer(0, customer("Ada", 1, revision: hasRevisions ? 1 : nil))
        let model = try await first.value
        let late: Promise = store.lookup(Customer.self, identifier: "c1")
        model.firstName.value = "Bob"
        let update: Promise = store.update(model)
        held.answer(2, customer("BOB", 2, revision: hasRevisions ? 2 : nil))
        _ = try await update.value
        expect(model.firstName.value == "BOB" && model.age.value == 2)
        held.answer(1, customer("Ada", 1, revision: hasRevisions ? 1 : nil))
        try await expect(late.value === model)
        expect(model.firstName.value == "BOB" && model.age.value == 2)
        // What is asked for now counts.
        let next: Promise = store.lookup(Customer.self, identifier: "c1")
        held.answer(3, customer("Eve", 3, revision: hasRevisions ? 3 : nil))
        _ = try await next.value
        expect(model.firstName.value == "Eve" && model.age.value == 3)
    }

    @Test func `of two reads the one that was asked for later counts`() async throws {
        let held = Held()
        let store = TestAPI(held.transport, .djangoREST)
        let first: Promise = store.lookup(Customer.self, identifier: "c1")
        let second: Promise = store.lookup(Customer.self, identifier: "c1")
        held.answer(1, customer("New", 2))
        let model = try await second.value
        held.answer(0, customer("Old", 1))
        _ = try await first.value
        expect(model.firstName.value, equals: "New")
    }

    @Test func `edits in flight stay, and are sent next`() async throws {
        let held = Held()
        let transport = held.transport
        let store = TestAPI(transport, .djangoREST)
        let model = Customer("c1", "Ada", age: 1)
        let creation: Promise = store.create(model)
        model.firstName.value = "Bob"
        held.answer(0, customer("ADA", 5))
        _ = try await creation.value
        expect(model.firstName.value, equals: "Bob")
        expect(model.age.value, equals: 5)
        let update: Promise = store.update(model)
        model.age.value = 6
        held.answer(1, customer("BOB", 5))
        _ = try await update.value
        expect(model.firstName.value == "BOB" && model.age.value == 6)
        let last: Promise = store.update(model)
        held.answer(2, HTTPResponse(status: 204))
        _ = try await last.value
        expect(
            transport.summaries.dropFirst(),
            equals: [
                #"PATCH /customers/c1 {"firstName":"Bob"}"#, #"PATCH /customers/c1 {"age":6}"#,
            ]
        )
    }

    @Test func `a member that is not there leaves the field alone, unless it means nil`()
        async throws
    {
        let transport = ClosureTransport { request, number in
            .value(.json(number % 2 == 1 ? #"{"id":"c1","age":1}"# : #"{"id":"c1"}"#))
        }
        let store = TestAPI(transport, .djangoREST)
        let model = try await store.lookup(Customer.self, identifier: "c1").value
        _ = try await store.lookup(Customer.self, identifier: "c1").value
        expect(model.age.value, equals: 1)
        var dialect = RESTDialect.djangoREST
        dialect.absentIsNull = true
        let other = TestAPI(transport, dialect)
        let second = try await other.lookup(Customer.self, identifier: "c1").value
        expect(second.age.value == 1 && second.isActive.value == nil)
        _ = try await other.lookup(Customer.self, identifier: "c1").value
        expect(second.age.value, equals: nil)
    }

    @Test func `an identifier that the server makes takes the place of ours`() async throws {
        let transport = ClosureTransport { request, _ in
            .value(
                request.method == .post
                    ? .json(#"{"id":"k7","firstName":"Ada"}"#, 201) : .json("{}")
            )
        }
        var dialect = RESTDialect.djangoREST
        dialect.sendsMadeIdentifiers = false
        let store = TestAPI(transport, dialect)
        let model = try await store.create(Customer(nil, "Ada")).value
        expect(model.id.value, equals: "k7")
        model.firstName.value = "Bob"
        _ = try await store.update(model).value
        _ = try await store.create(Customer("own", "Eve")).value
        expect(
            transport.summaries,
            equals: [
                #"POST /customers {"firstName":"Ada","isActive":true}"#,
                #"PATCH /customers/k7 {"firstName":"Bob"}"#,
                #"POST /customers {"firstName":"Eve","id":"own","isActive":true}"#,
            ]
        )
    }

    @Test func `a conflict contains theirs, by the answer or by another request`() async throws {
        let current = #"{"id":"c1","firstName":"Eve","age":2,"_meta":{"revision":9}}"#
        let plain = ClosureTransport(answers: [
            customer("Ada", 1, revision: 4),
            .json(
                "{\"status\":412,\"code\":\"conflict\",\"model\":\"Customer\",\"identifier\":\"c1\","
                    + "\"base\":4,\"current\":\(current)}",
                412
            ),
        ])
        var tagged = RESTDialect.djangoREST
        tagged.honoursIfMatch = true
        let other = ClosureTransport(answers: [
            HTTPResponse(status: 200, headers: ["ETag": "\"x1\""], body: customer("Ada", 1).body),
            HTTPResponse(status: 412), customer("Eve", 2), customer("Eve", 2),
            HTTPResponse(status: 200, body: customer("Eve", 3).body),
        ])
        for (transport, dialect) in [(plain, RESTDialect.plain), (other, tagged)] {
            let store = TestAPI(transport, dialect)
            let model = try await store.lookup(Customer.self, identifier: "c1").value
            model.age.value = 3
            guard case .conflict(let conflict)? = await store.update(model).storeError else {
                Testing.Issue.record("there is no conflict with \(dialect.name)")
                continue
            }
            expect(conflict.mine, equals: ["age": 3])
            expect(conflict.theirs.values["firstName"], equals: "Eve")
            expect(conflict.theirs.values["age"], equals: 2)
        }
        expect(plain.sent.all[1].headers["If-Match"], equals: "\"4\"")
        expect(other.sent.all[1].headers["If-Match"], equals: "\"x1\"")
    }

    @Test func `a weak tag, and one of an older answer, are not named`() async throws {
        var tagged = RESTDialect.djangoREST
        tagged.honoursIfMatch = true
        let body = customer("Ada", 1).body
        let transport = ClosureTransport(answers: [
            HTTPResponse(status: 200, headers: ["ETag": "W/\"x1\""], body: body),
            HTTPResponse(status: 200, headers: ["ETag": "\"x2\""], body: body),
            customer("Ada", 2), customer("Ada", 3),
        ])
        let store = TestAPI(transport, tagged)
        let model = try await store.lookup(Customer.self, identifier: "c1").value
        for age in 2...4 {
            model.age.value = age
            _ = try? await store.update(model).value
        }
        expect(
            transport.sent.all.map { $0.headers["If-Match"] },
            equals: [nil, nil, "\"x2\"", nil]
        )
    }

    @Test func `an answer that was overtaken has no tag to name`() async throws {
        let held = Held()
        let transport = held.transport
        var tagged = RESTDialect.djangoREST
        tagged.honoursIfMatch = true
        let store = TestAPI(transport, tagged)
        func answer(_ number: Int, _ age: Int, _ tag: String) {
            var response = customer("Ada", age)
            response.headers["ETag"] = tag
            held.answer(number, response)
        }
        let first: Promise = store.lookup(Customer.self, identifier: "c1")
        answer(0, 1, "\"x1\"")
        let model = try await first.value
        let late: Promise = store.lookup(Customer.self, identifier: "c1")
        for (number, age) in [(2, 2), (3, 1)] {
            model.age.value = age
            let update: Promise = store.update(model)
            answer(number, age, "\"x\(number)\"")
            _ = try await update.value
        }
        // It has the same values, but is another version.
        answer(1, 1, "\"x1\"")
        _ = try await late.value
        model.age.value = 5
        let update: Promise = store.update(model)
        answer(4, 5, "\"x4\"")
        _ = try await update.value
        expect(
            transport.sent.all.compactMap { $0.headers["If-Match"] },
            equals: ["\"x1\"", "\"x2\"", "\"x3\""]
        )
    }

    @Test func `another server may have a member of the name of ours`() async throws {
        let transport = ClosureTransport { request, number in
            let note = #""_meta":{"revision":1,"type":"customer-v2"}"#
            let age = number == 1 ? #""age":3,"# : ""
            let object = "{\"id\":\"c1\",\(age)\(note)}"
            return .value(.json(request.target == "/customers" ? "[\(object)]" : object))
        }
        let store = TestAPI(transport, .djangoREST)
        let model = try await store.lookup(Customer.self, identifier: "c1").value
        let found = try await store.list(Customer.self).value
        expect(found.count == 1 && found.first === model)
        expect(model.age.value, equals: 3)
    }

    @Test func `what has not changed keeps its revision, also where servers send none`()
        async throws
    {
        let bodies = [
            #"[{"id":"a","age":1},{"id":"b","age":1}]"#,
            #"[{"id":"a","age":1},{"id":"b","age":2}]"#,
        ]
        let transport = ClosureTransport { _, number in .value(.json(bodies[number == 3 ? 1 : 0])) }
        let records = TestAPI(transport, .djangoREST).records
        var found: [[Int64]] = []
        for _ in 0..<4 {
            let list = try await records.fetch(RecordQuery(), of: Customer.schema).value
            found.append(list.map(\.revision))
        }
        expect(found[0], equals: found[1])
        expect(found[2][0] == found[0][0] && found[2][1] > found[0][1])
        // It is as before, but later.
        expect(found[3][0] == found[0][0] && found[3][1] > found[2][1])
    }

    @Test func `a live query reports only what has changed`() async throws {
        let age = Noted<Int>()
        let transport = ClosureTransport { request, _ in
            if request.method == .patch {
                age.note(1)
                return .value(HTTPResponse(status: 204))
            }
            return .value(.json("[{\"id\":\"a\",\"age\":1},{\"id\":\"b\",\"age\":\(age.count)}]"))
        }
        let store = TestAPI(transport, .djangoREST)
        var updated: [[String?]] = []
        for try await result in store.observe(Customer.self) {
            updated.append(result.updated.map(\.id.value))
            if updated.count == 2 { break }
            let model = try #require(result.models.last)
            model.age.value = 1
            _ = try await store.update(model).value
        }
        expect(updated, equals: [[], ["b"]])
    }

    @Test func `a live query is notified of what this store writes`() async throws {
        let rows = Noted<String>()
        let transport = ClosureTransport { request, _ in
            if request.method == .post { rows.note("{\"id\":\"c\(rows.count)\"}") }
            return .value(
                request.method == .post
                    ? HTTPResponse(status: 201)
                    : .json("[\(rows.all.joined(separator: ","))]")
            )
        }
        let store = TestAPI(transport, .djangoREST)
        var counts: [Int] = []
        for try await result in store.observe(Customer.self) {
            counts.append(result.models.count)
            if counts.count == 3 { break }
            _ = try await store.create(Customer("c\(rows.count)")).value
        }
        expect(counts, equals: [0, 1, 2])
    }
}
