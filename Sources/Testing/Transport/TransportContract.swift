public import ModelKitREST

/// What every transport has to do, as cases that a test of any framework runs.
///
/// The server of the cases is one function, which is put behind whatever the transport reaches: a closure, a
/// socket of the loopback interface, the router of a framework.
///
/// ```swift
/// let transport = MemoryTransport(server: TransportContract.answer)
/// for part in TransportContract.cases {
///     try await part.run(on: transport, at: "https://a.example")
/// }
/// ```
public enum TransportContract {
    /// One sentence about transports, and how it is tried out.
    ///
    /// ```swift
    /// try await TransportContract.cases[0].run(on: MyTransport(), at: server.origin)
    /// ```
    public struct Case: Sendable, CustomStringConvertible {
        /// What a transport does.
        public let description: String
        private let file: String
        private let body: @Sendable (TransportRun) async throws -> Void

        init(
            _ description: String,
            file: String = #fileID,
            _ body: @escaping @Sendable (TransportRun) async throws -> Void
        ) {
            self.description = description
            self.file = file
            self.body = body
        }

        /// Tries it out on a transport.
        ///
        /// - Parameters:
        ///   - transport: The transport.
        ///   - origin: Where it finds a server whose answers are those of `TransportContract.answer`.
        /// - Throws: A `ContractViolation`, or the error that the transport failed with.
        public func run(on transport: any HTTPTransport, at origin: String) async throws {
            try await body(
                TransportRun(
                    sentence: description,
                    file: file,
                    transport: transport,
                    origin: origin
                )
            )
        }
    }
}

/// A case that is being tried out on a transport.
struct TransportRun: ContractTrial {
    let sentence: String
    let file: String
    let transport: any HTTPTransport
    let origin: String

    func send(
        _ method: HTTPMethod,
        _ target: String,
        headers: HTTPHeaders = [:],
        body: String? = nil,
        _ limits: HTTPLimits = HTTPLimits(deadline: nil)
    ) -> Promise<HTTPResponse> {
        let body = body.map { HTTPResponse.text(200, $0).body }
        let request = HTTPRequest(method, origin, target, headers: headers, body: body)
        return transport.send(request, limits)
    }

    /// Waits for a failure.
    func expect(
        _ reason: HTTPFailure.Reason,
        mayBeSent: Bool?,
        from promise: Promise<HTTPResponse>,
        line: Int = #line
    ) async throws {
        let failure = try await failure(of: promise, "the exchange", line: line)
        try expect(failure.reason, reason, "the reason", line: line)
        guard let mayBeSent else { return }
        try expect(failure.mayBeSent, mayBeSent, "mayBeSent", line: line)
    }

    /// Waits for a failure and gives its error.
    func failure(
        of promise: Promise<HTTPResponse>,
        _ what: String,
        line: Int = #line
    ) async throws -> HTTPFailure {
        let status: Int
        do {
            status = try await promise.value.status
        } catch let failure as HTTPFailure {
            return failure
        } catch {
            throw violation("\(what) must fail with an HTTPFailure, not \(error)", line)
        }
        throw violation("\(what) must fail, and is answered with \(status)", line)
    }
}
