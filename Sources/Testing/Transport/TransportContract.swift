public import ModelKitREST
import ModelKitStores

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
        private let body: @Sendable (TransportRun) async throws -> Void

        init(
            _ description: String,
            _ body: @escaping @Sendable (TransportRun) async throws -> Void
        ) {
            self.description = description
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
                TransportRun(sentence: description, transport: transport, origin: origin)
            )
        }
    }
}

/// A case that is being tried out.
struct TransportRun: Sendable {
    let sentence: String
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

    func expect<Value: Equatable>(
        _ found: Value,
        _ expected: Value,
        _ what: @autoclosure () -> String,
        file: String = #fileID,
        line: Int = #line
    ) throws {
        if found == expected { return }
        let message = "\(what()) must be \(expected), not \(found)"
        throw ContractViolation(sentence: sentence, message: message, file: file, line: line)
    }

    /// Waits for a failure.
    func expect(
        _ reason: HTTPFailure.Reason,
        mayBeSent: Bool?,
        from promise: Promise<HTTPResponse>,
        file: String = #fileID,
        line: Int = #line
    ) async throws {
        do {
            let status = try await promise.value.status
            let message = "must fail, and is answered with \(status)"
            throw ContractViolation(sentence: sentence, message: message, file: file, line: line)
        } catch let failure as HTTPFailure {
            try expect(failure.reason, reason, "the reason", file: file, line: line)
            guard let mayBeSent else { return }
            try expect(failure.mayBeSent, mayBeSent, "mayBeSent", file: file, line: line)
        } catch let violation as ContractViolation {
            throw violation
        } catch {
            let message = "must fail with an HTTPFailure, not \(error)"
            throw ContractViolation(sentence: sentence, message: message, file: file, line: line)
        }
    }
}
