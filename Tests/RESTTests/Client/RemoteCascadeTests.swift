import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Deletions and merges of models of which a server that is none of ours has more than is known.
@Suite struct RemoteCascadeTests {
    final class Order: Model {
        let id = Field<String>()
        let lines = ModelField<Line>(foreignKey: true, cascadeDelete: true)*
    }

    final class Line: Model {
        let id = Field<String>()
        let text = Field<String>().require(.required)
        let amount = Field<Int>(value: 1)
    }

    @Test func `a server that makes one write at a time deletes what goes with a model itself`()
        async throws
    {
        let transport = ClosureTransport(answers: [
            .json(#"{"id":"1","lines":["a","b"]}"#), HTTPResponse(status: 204),
        ])
        let store = TestAPI(transport, .djangoREST)
        let order = try await store.lookup(Order.self, identifier: "1").value
        _ = try await store.delete(order).value
        expect(transport.summaries, equals: ["GET /orders/1", "DELETE /orders/1"])
    }

    @Test func `so it does where no more is known of the model than its identifier`() async throws {
        let transport = ClosureTransport(answers: [HTTPResponse(status: 204)])
        let store = TestAPI(transport, .djangoREST)
        let order = Order()
        order.id.value = "1"
        order.unload()
        _ = try await store.delete(order).value
        expect(transport.summaries, equals: ["DELETE /orders/1"])
    }

    @Test func `a shell that is merged where there is nothing is sent as a new model`()
        async throws
    {
        let transport = ClosureTransport(answers: [
            .json(#"{"id":"1","lines":["a","b"]}"#), .json("{}", 404), .json("{}", 404),
            .json("{}", 404), .json("{}", 404), .json(#"{"id":"a","text":"x","amount":1}"#, 201),
        ])
        let store = TestAPI(transport, .djangoREST)
        let order = try await store.lookup(Order.self, identifier: "1").value
        let lines = try #require(order.lines.value)
        lines[1].amount.value = 2
        let error = await store.save(lines[1], onConflict: .merge).storeError
        expect(error?.issues.map(\.path), equals: [["text"]])
        lines[0].text.value = "x"
        _ = try await store.save(lines[0], onConflict: .merge).value
        let sent = transport.summaries.dropFirst()
        expect(
            sent.dropLast(),
            equals: [
                #"PATCH /lines/b {"amount":2}"#, "GET /lines/b",
                #"PATCH /lines/a {"text":"x"}"#, "GET /lines/a",
            ]
        )
        expect(sent.last?.hasPrefix("POST /lines "), equals: true)
        expect(sent.last?.contains(#""amount":1"#), equals: true)
    }
}
