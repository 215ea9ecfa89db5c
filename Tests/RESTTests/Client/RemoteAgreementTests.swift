import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What is kept of a version that a server calls by a tag, or by nothing.
@Suite struct RemoteAgreementTests {
    private func store(_ transport: ClosureTransport, honoursIfMatch: Bool) -> TestAPI {
        var dialect = RESTDialect.plain
        dialect.honoursIfMatch = honoursIfMatch
        return TestAPI(transport, dialect)
    }

    @Test(
        arguments: [
            (version(tag: "\"v1\""), true, "\"v1\"", nil),
            (version(tag: "\"5\""), true, "\"5\"", nil),
            // What is weak is no version, and to such a server none says anything.
            (version(tag: "W/\"v1\""), true, nil, nil), (version(), true, nil, nil),
            (version(tag: "\"v1\""), false, nil, nil),
            // A server of our own has revisions.
            (version(revision: 5), true, nil, 5), (version(revision: 5), false, nil, nil),
        ]
    )
    func `an agreement has what the server calls the version, and nothing that was counted here`(
        answer: HTTPResponse,
        honoursIfMatch: Bool,
        tag: String?,
        revision: Int64?
    ) async throws {
        let first = store(ClosureTransport(answers: [answer]), honoursIfMatch: honoursIfMatch)
        let ticket = try await first.lookup(Ticket.self, identifier: 7).value
        let agreement = try await first.agreement(of: ticket).value
        expect(agreement.entityTag, equals: tag)
        expect(agreement.revision, equals: revision)

        let after = ClosureTransport(answers: [
            RemoteTagTests.ticket("b", "\"6\""), RemoteTagTests.ticket("c"),
        ])
        let second = store(after, honoursIfMatch: honoursIfMatch)
        let again = Ticket("b")
        _ = try await second.resume(again, from: agreement).value
        expect(again.id.value, equals: 7)
        _ = try await second.update(again).value
        again.title.value = "c"
        _ = try await second.update(again).value
        let named = [tag ?? revision.map { "\"\($0)\"" }, honoursIfMatch ? "\"6\"" : nil]
        expect(RemoteTagTests.tags(after), equals: named)
        expect(after.sent.all.map(\.method), equals: [.patch, .patch])
    }

    private static func version(tag: String? = nil, revision: Int64? = nil) -> HTTPResponse {
        var answer = RemoteTagTests.ticket("a", tag)
        if let revision {
            answer.body = Data(#"{"id":7,"title":"a","_meta":{"revision":\#(revision)}}"#.utf8)
        }
        return answer
    }
}
