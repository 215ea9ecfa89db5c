import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// The parts that lists come in.
@Suite struct RemotePartTests {
    /// Whom a store finds in the parts of a list.
    private func found(
        _ parts: [String],
        _ pagination: RESTPagination,
        _ envelope: RESTEnvelope = .key("data")
    ) async throws -> [String?] {
        let transport = ClosureTransport(answers: parts.map { .json($0) })
        let dialect = RESTDialect(name: "any", pagination: pagination, envelope: envelope)
        let found = try await TestAPI(transport, dialect).list(Customer.self).value
        expect(transport.sent.count, equals: parts.count)
        return found.map(\.id.value)
    }

    private func rows(_ identifiers: String...) -> String {
        identifiers.map { "{\"id\":\"\($0)\"}" }.joined(separator: ",")
    }

    @Test func `a model that fills several parts comes once`() async throws {
        let parts = [rows("a", "a", "a"), rows("a", "a", "a"), rows("a", "b", "b"), ""]
        let bodies = parts.map { "{\"data\":[\($0)]}" }
        try await expect(found(bodies, .offset()), equals: ["a", "b"])
    }

    @Test func `a part of models that have all moved is not the end`() async throws {
        let parts = [rows("a", "b"), rows("b", "a"), rows("c"), ""]
        try await expect(
            found(parts.map { "{\"data\":[\($0)]}" }, .offset()),
            equals: ["a", "b", "c"]
        )
    }

    @Test func `parts without new models are an error in the end`() async throws {
        let transport = ClosureTransport { _, number in
            .value(.json("[{\"id\":\"c\(number % 2)\"}]"))
        }
        let dialect = RESTDialect(name: "any", pagination: .offset())
        let error = await TestAPI(transport, dialect).list(Customer.self).storeError
        expect(error?.code == "unavailable" && error?.outcome == .notApplied)
        expect(transport.sent.count, equals: 102)
    }

    @Test(arguments: [
        #""/customers?page=2""#, #"{"href":"/customers?page=2","meta":{}}"#,
    ])
    func `an address may be in an object`(_ next: String) async throws {
        let parts = ["{\"data\":[\(rows("a"))],\"links\":{\"next\":\(next)}}"]
        for end in [
            "{}", #"{"next":null}"#, #"{"next":false}"#, #"{"next":""}"#, "[]", "null",
            #"{"next":{"href":null}}"#,
        ] {
            let last = "{\"data\":[\(rows("b"))],\"links\":\(end)}"
            try await expect(
                found(parts + [last], .next(at: ["links", "next"])),
                equals: ["a", "b"]
            )
        }
    }

    @Test(arguments: [("1732341234.567", "1732341234.567"), ("7", "7"), ("\"x\"", "x")])
    func `a mark may be a number`(_ mark: String, _ text: String) async throws {
        let transport = ClosureTransport(answers: [
            .json("{\"data\":[\(rows("a"))],\"next\":\(mark)}"),
            .json("{\"data\":[\(rows("b"))],\"next\":null}"),
        ])
        let pagination = RESTPagination.cursor("from", at: ["next"])
        let dialect = RESTDialect(name: "any", pagination: pagination, envelope: .key("data"))
        let found = try await TestAPI(transport, dialect).list(Customer.self).value
        expect(found.map(\.id.value), equals: ["a", "b"])
        expect(transport.sent.all.last?.target, equals: "/customers?from=\(text)")
    }

    @Test(arguments: [
        ("true", true), ("7", false), ("1.5", false), (#"["x"]"#, true), (#"{"page":2}"#, true),
        // Numbers that are too great to be kept as they are.
        ("1e20", true),
    ])
    func `another mark is no end`(_ next: String, _ isNoMark: Bool) async throws {
        let paginations: [RESTPagination] =
            isNoMark ? [.next(), .cursor("from", at: ["next"])] : [.next()]
        for pagination in paginations {
            let transport = ClosureTransport { _, _ in
                .value(.json("{\"data\":[{\"id\":\"a\"}],\"next\":\(next)}"))
            }
            let dialect = RESTDialect(name: "any", pagination: pagination, envelope: .key("data"))
            let error = await TestAPI(transport, dialect).list(Customer.self).storeError
            expect(error?.code == "unavailable" && error?.outcome == .notApplied)
            expect(error?.description.contains("next"), equals: true)
            expect(transport.sent.count, equals: 1)
        }
    }

    @Test func `an empty list may be null, or no content`() async throws {
        for envelope in [RESTEnvelope.bare, .key("data")] {
            try await expect(found(["null"], .none, envelope), equals: [])
        }
        try await expect(found([#"{"data":null}"#], .none), equals: [])
        let part = "{\"data\":[\(rows("a"))]}"
        try await expect(found([part, #"{"data":null}"#], .offset()), equals: ["a"])
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 204)) }
        for dialect in [RESTDialect.djangoREST, .plain] {
            try await expect(TestAPI(transport, dialect).list(Customer.self).value.isEmpty)
        }
        for body in ["{}", #"{"data":false}"#, #"{"data":{}}"#] {
            let error = await #expect(throws: StoreError.self) { try await found([body], .none) }
            expect(error?.code, equals: "unavailable")
        }
    }

    @Test func `an empty list may be left out, where that is said`() async throws {
        var envelope = RESTEnvelope(list: [.name("_embedded"), .typeNames])
        let bodies = [
            "{}", #"{"_links":{},"page":{"totalElements":0}}"#, #"{"_embedded":{}}"#,
            #"{"_embedded":null}"#, #"{"_embedded":{"customers":null}}"#,
        ]
        for body in bodies.prefix(4) {
            let error = await #expect(throws: StoreError.self) {
                try await found([body], .none, envelope)
            }
            expect(error?.code, equals: "unavailable")
        }
        envelope.absentListIsEmpty = true
        for body in bodies { try await expect(found([body], .none, envelope), equals: []) }
        let part = #"{"_embedded":{"customers":[{"id":"a"}]}}"#
        try await expect(found([part, "{}"], .offset(), envelope), equals: ["a"])
        // What is something else than a list is none.
        for body in [#"{"_embedded":[]}"#, #"{"_embedded":{"customers":{}}}"#, "7", #""OK""#] {
            let error = await #expect(throws: StoreError.self) {
                try await found([body], .none, envelope)
            }
            expect(error?.code, equals: "unavailable")
        }
        let dialect = RESTDialect(name: "any", envelope: envelope)
        let later = ClosureTransport { _, _ in .value(.json(#"{"job":1}"#, 202)) }
        let error = await TestAPI(later, dialect).list(Customer.self).storeError
        expect(error?.code, equals: "unavailable")
    }

    @Test func `a late part takes no longer than an early one`() async throws {
        let count = 10_000
        let times = Noted<ContinuousClock.Instant>()
        let transport = ClosureTransport { _, number in
            times.note(.now)
            let mark = number < count ? "\(number)" : "null"
            return .value(.json("{\"data\":[{\"id\":\"c\(number)\"}],\"next\":\(mark)}"))
        }
        let pagination = RESTPagination.cursor("from", at: ["next"])
        let dialect = RESTDialect(name: "any", pagination: pagination, envelope: .key("data"))
        let found = try await TestAPI(transport, dialect).records
            .fetch(RecordQuery(), of: Customer.schema).value
        expect(found.count, equals: count)
        let all = times.all
        let steps = zip(all.dropFirst(), all).map { $0 - $1 }
        let early = steps.prefix(1_000).sorted()[500]
        let late = steps.suffix(1_000).sorted()[500]
        expect(late < early * 3, "\(early), then \(late)")
    }
}
