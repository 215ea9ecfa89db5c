import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What a store makes of networks and servers that fail.
@Suite(.enabled(if: Lab.isOpen)) struct StoreFaultTests {
    private let run = Run()

    /// What a list fails with, from which nothing may have come.
    private func listError(
        _ origin: String,
        fault: String? = nil,
        limits: HTTPLimits? = nil
    ) async -> StoreError? {
        let store = LabStore(run, origin, fault: fault, limits: limits)
        return await store.list(Company.self).storeError
    }

    private func isUnavailable(_ error: StoreError?, _ part: String) -> Bool {
        guard case .unavailable(let text, let outcome)? = error else { return false }
        return text.contains(part) && outcome == .notApplied
    }

    @Test func `a lost acknowledgement leaves one row, and is unknown`() async throws {
        let retrying = RetryingTransport(URLSessionTransport())
        let store = LabStore(run, Lab.faults, over: retrying, fault: "lostAck")
        let error = await store.create(Company(run.name)).storeError
        expect(error?.outcome, equals: .unknown)
        try await expect(run.rows("companies"), equals: 1)
        try await expect(run.arrived(.post), equals: 1)
    }

    @Test func `with a key that is honoured it is made once, and known`() async throws {
        let retrying = RetryingTransport(URLSessionTransport(), honoursKey: { _ in true })
        let store = LabStore(
            run,
            "\(Lab.faults)/idempotent",
            over: retrying,
            fault: "lostAck once=\(run.name)"
        )
        let company = try await store.create(Company(run.name)).value
        expect(company.id.value != nil)
        expect(company.slug.value, equals: run.name)
        try await expect(run.rows("companies"), equals: 1)
        try await expect(run.arrived(.post), equals: 2)
    }

    @Test func `a lost acknowledgement of a deletion is a success in the end`() async throws {
        let plain = LabStore(run, Lab.faults)
        let company = try await plain.create(Company(run.name)).value
        let retrying = RetryingTransport(URLSessionTransport())
        let store = LabStore(run, Lab.faults, over: retrying, fault: "lostAck once=\(run.name)")
        let identifier = try #require(company.id.value)
        let same = Company(run.name)
        same.id.value = identifier
        _ = try await store.delete(same).value
        try await expect(run.rows("companies"), equals: 0)
        try await expect(run.arrived(.delete), equals: 2)
    }

    @Test func `a connection that is closed when it is used again makes nothing twice`()
        async throws
    {
        let kept = URLSessionTransport(keepsConnections: true)
        let store = LabStore(run, Lab.faults, over: kept, fault: "killReused")
        _ = await store.list(Company.self, limit: 1).storeError
        _ = try await store.create(Company(run.name)).value
        try await expect(run.rows("companies"), equals: 1)
        try await expect(run.arrived(.post), equals: 1)
    }

    @Test func `who is asked to wait says so, and that nothing was done`() async throws {
        let maintenance = await listError("\(Lab.nginx)/maintenance")
        expect(isUnavailable(maintenance, "7"), "\(maintenance as Any)")
        let store = LabStore(run, "\(Lab.nginx)/minute")
        // Both at once: the limit is one a minute.
        let sent: [Promise] = [
            store.create(Company(run.name)), store.create(Company(String(run.name.reversed()))),
        ]
        var errors: [StoreError] = []
        for promise in sent { if let error = await promise.storeError { errors.append(error) } }
        expect(errors.count, equals: 1)
        expect(isUnavailable(errors.first, "60"), "\(errors)")
        try await expect(run.arrived(.post), equals: 1)
    }

    @Test func `a moment without the server is waited out`() async throws {
        let retrying = RetryingTransport(URLSessionTransport())
        let fault = "unavailable once=\(run.name)"
        let store = LabStore(run, Lab.faults, over: retrying, fault: fault)
        _ = try await store.list(Company.self, limit: 1).value
        try await expect(run.forwarded(), equals: 2)
    }

    @Test func `broken, endless and foreign answers are failures that say so`() async throws {
        let small = HTTPLimits(deadline: nil, responseSize: 1 << 20)
        let errors = [
            await listError("\(Lab.nginx)/truncated"),
            await listError(Lab.faults, fault: "truncateBody"),
            await listError("\(Lab.nginx)/oversized", limits: small),
            await listError(Lab.faults, fault: "flood", limits: small),
            await listError("\(Lab.nginx)/html"),
            await listError("\(Lab.nginx)/rubbish"),
            await listError("\(Lab.nginx)/closed"),
        ]
        for error in errors {
            expect(error != nil)
            expect(error?.outcome, equals: .notApplied, "\(error as Any)")
            expect("\(error as Any)".contains("<html>"), equals: false, "\(error as Any)")
        }
        // A write that got such an answer may have been made.
        for (origin, fault) in [(Lab.faults, "truncateBody"), ("\(Lab.nginx)/html", nil)] {
            let store = LabStore(Run(), origin, fault: fault)
            let error = await store.create(Company(UUID().uuidString)).storeError
            expect(error?.outcome, equals: .unknown, "\(error as Any)")
        }
    }

    @Test(arguments: ["nginx", "slowDrip"])
    func `a slow answer is waited for until the deadline`(by: String) async throws {
        let limits = HTTPLimits(deadline: .seconds(2))
        // So that there is something to be slow with.
        _ = try await LabStore(run).create(Company(run.name)).value
        let error =
            by == "nginx"
            ? await listError("\(Lab.nginx)/slow", limits: limits)
            : await listError(Lab.faults, fault: by, limits: limits)
        guard case .timedOut? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test func `sixty uses with an expired token have it refreshed once`() async throws {
        let run = run
        let session = run.signedIn()
        let counting = CountingTransport()
        let transport = AuthenticatingTransport(counting, origin: Lab.nginx, session: session)
        let store = LabStore(run, "\(Lab.nginx)/private", over: transport)
        _ = try await store.create(Company(run.name)).value
        try await run.expireToken()
        let sent = (0..<60).map { _ in store.list(Company.self, where: \.name == run.name) }
        for promise in sent { try await expect(promise.value.count, equals: 1) }
        expect(counting.count(of: 401) > 0)
        try await expect(run.refreshes(), equals: 1)
        let stranger = LabStore(run, "\(Lab.nginx)/private")
        guard case .unauthorized? = await stranger.list(Company.self).storeError else {
            Issue.record("a stranger was let in")
            return
        }
    }
}
