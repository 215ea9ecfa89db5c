import Benchmark
import Foundation
import ModelKit
import ModelKitREST
import ModelKitServer

// Both halves of REST without a network: the client over a transport that has its answer ready, and the
// server over a store in memory.

func addRESTBenchmarks() {
    addClientBenchmarks()
    addServerBenchmarks()
}

private func addClientBenchmarks() {
    Benchmark("GET of a model over a given transport, ModelKit") { benchmark in
        let store = RemoteContacts(answering: 200)
        let model = try await store.lookup(Contact.self, identifier: 7).value
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            let found: Promise<Contact> = store.lookup(Contact.self, identifier: 7)
            blackHole(found)
        }
        benchmark.stopMeasurement()
        blackHole(model)
    }
    Benchmark("GET of a model over a given transport, JSONDecoder alone") { benchmark in
        let (decoder, body) = (JSONDecoder(), try Contact.filled(7).jsonData())
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            blackHole(try decoder.decode(PlainContact.self, from: body))
        }
    }
    Benchmark("PATCH of a field over a given transport, ModelKit") { benchmark in
        let store = RemoteContacts(answering: 200)
        let model = try await store.lookup(Contact.self, identifier: 7).value
        benchmark.startMeasurement()
        for visits in benchmark.scaledIterations {
            model.visits.value = visits
            let updated: Promise<Contact> = store.update(model)
            blackHole(updated)
        }
        benchmark.stopMeasurement()
    }
    Benchmark("POST of a model over a given transport, ModelKit") { benchmark in
        let store = RemoteContacts(answering: 201)
        let models = benchmark.scaledIterations.map { _ in Contact.filled(7) }
        benchmark.startMeasurement()
        for model in models { blackHole(store.create(model)) }
        benchmark.stopMeasurement()
    }
    addRecordBenchmarks()
}

/// The same without models: what the store adds to its transport by itself.
private func addRecordBenchmarks() {
    Benchmark("PATCH of a record over a given transport, ModelKit") { benchmark in
        let records = RemoteContacts(answering: 200).records
        let update = RecordWrite.Action.update(.int(7), ["visits": .int(1)], revision: nil)
        let write = RecordWrite(update, of: Contact.schema)
        for _ in benchmark.scaledIterations { blackHole(records.perform([write])) }
    }
    Benchmark("POST of a record over a given transport, ModelKit") { benchmark in
        let records = RemoteContacts(answering: 201).records
        let write = PlainContact(7).creation(of: Contact.schema)
        for _ in benchmark.scaledIterations { blackHole(records.perform([write])) }
    }
}

private func addServerBenchmarks() {
    Benchmark("a lookup answered, ModelKit") { benchmark in
        let handler = try await served(1_000)
        let requests = (1...1_000).map { HTTPRequest(.get, "/contacts/\($0)") }
        benchmark.startMeasurement()
        for index in benchmark.scaledIterations {
            blackHole(await handler.handle(requests[index]))
        }
    }
    Benchmark("a lookup answered, JSONEncoder alone") { benchmark in
        let (encoder, contact) = (JSONEncoder(), PlainContact(7))
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try encoder.encode(contact)) }
    }
    Benchmark("a page of 100 answered, ModelKit", configuration: page) { benchmark in
        let handler = try await served(1_000)
        let request = HTTPRequest(.get, "/contacts?limit=100&visits[ge]=0")
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(await handler.handle(request)) }
    }
    Benchmark("a PATCH answered, ModelKit") { benchmark in
        let handler = try await served(1_000)
        let requests = (1...1_000).map {
            HTTPRequest(.patch, "/contacts/\($0)", body: Data("{\"visits\": 1}".utf8))
        }
        benchmark.startMeasurement()
        for index in benchmark.scaledIterations {
            blackHole(await handler.handle(requests[index]))
        }
    }
    Benchmark("a POST answered, ModelKit") { benchmark in
        let handler = try await served(1)
        let requests = try benchmark.scaledIterations.map { index in
            HTTPRequest(.post, "/contacts", body: try Contact.filled(index + 2).jsonData())
        }
        benchmark.startMeasurement()
        for request in requests { blackHole(await handler.handle(request)) }
        benchmark.stopMeasurement()
    }
}

/// For an answer that is large enough by itself, and is counted in nanoseconds.
private var page: Benchmark.Configuration {
    .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .nanoseconds,
        warmupIterations: 2,
        scalingFactor: .one,
        maxDuration: .seconds(2),
        maxIterations: 2_000
    )
}

private func served(_ count: Int) async throws -> RESTHandler {
    let store = MemoryModelStore()
    _ = try await store.create((1...count).map(Contact.filled)).value
    return try RESTHandler(store, [Contact.self])
}

/// A store whose transport has its answer ready.
private final class RemoteContacts: RemoteModelStore {
    let origin = "https://api.example.com/v1"
    let session = StoreSession()
    let transport: any HTTPTransport

    init(answering status: Int) {
        let body = (try? Contact.filled(7).jsonData()) ?? Data()
        let response = HTTPResponse(
            status: status,
            headers: ["Content-Type": "application/json"],
            body: body
        )
        transport = Ready(answer: .value(response))
    }

    private struct Ready: HTTPTransport {
        let answer: Promise<HTTPResponse>

        func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> { answer }
    }
}
