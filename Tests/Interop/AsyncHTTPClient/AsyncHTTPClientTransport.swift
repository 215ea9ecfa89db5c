import AsyncHTTPClient
import Foundation
public import ModelKitREST
public import ModelKitStores
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends requests by AsyncHTTPClient, over connections that it keeps open; each request once at most.
///
/// It says for certain that nothing was sent where no connection was to be had. Progress is not told.
public final class AsyncHTTPClientTransport: HTTPTransport {
    private let client: HTTPClient

    public init() {
        // What a body has when it is decompressed is counted by who takes it.
        var configuration = HTTPClient.Configuration(decompression: .enabled(limit: .none))
        configuration.redirectConfiguration = .disallow
        // The only deadline is that of the request; whether it is sent again is for others to decide.
        configuration.timeout.connect = .hours(24)
        configuration.connectionPool.retryConnectionEstablishment = false
        // One loop for all it does: with several, an answer that is there before the end of the request is
        // noted as sent, and a connection that is closed then, stop the process (1.37).
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        client = HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    public func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        do { try request.check() } catch { return .failed(error) }
        // Else Foundation encodes all of a URL once more, where one character has to be.
        let allowed = CharacterSet.urlQueryAllowed.union(CharacterSet(charactersIn: "%"))
        let target = request.target.addingPercentEncoding(withAllowedCharacters: allowed)
        let outgoing = try? HTTPClient.Request(
            url: request.origin + (target ?? request.target),
            method: .RAW(value: request.method.rawValue),
            headers: .init(request.headers.map { ($0.name, $0.value) }),
            body: request.body.map { .data($0) }
        )
        guard let outgoing else { return .failed(HTTPFailure(.other("no URL"), mayBeSent: false)) }
        let size = min(limits.responseSize, Int(UInt32.max))
        let delegate = ResponseAccumulator(request: outgoing, maxBodySize: size)
        let deadline = limits.deadline.map { NIODeadline.now() + TimeAmount($0) }
        let task = client.execute(request: outgoing, delegate: delegate, deadline: deadline)
        let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
        resolver.whenCancelled { HTTPFailure(.cancelled, mayBeSent: true) }
        resolver.onCancel { task.cancel() }
        // The client is kept until then.
        task.futureResult.whenComplete { [self] result in
            let outcome = result.map(answer).mapError(failure)
            withExtendedLifetime(self) { _ = resolver.resolve(outcome) }
        }
        return promise
    }
}

private func answer(_ response: HTTPClient.Response) -> HTTPResponse {
    var answer = HTTPResponse(status: Int(response.status.code))
    for (name, value) in response.headers { answer.headers.add(name, value) }
    // What it tells of is decompressed by now.
    if answer.headers["Content-Encoding"] != nil { answer.headers["Content-Length"] = nil }
    answer.headers["Content-Encoding"] = nil
    answer.body = response.body.map { Data($0.readableBytesView) } ?? Data()
    return answer
}

private func failure(_ error: any Error) -> any Error {
    switch error {
    case is NIOConnectionError: HTTPFailure(.refused, mayBeSent: false)
    case let error as IOError where error.errnoCode == ECONNREFUSED:
        HTTPFailure(.refused, mayBeSent: false)
    case NIOSSLError.handshakeFailed: HTTPFailure(.insecure, mayBeSent: false)
    case let error as HTTPClientError where error == .deadlineExceeded:
        HTTPFailure(.timedOut, mayBeSent: true)
    case is HTTPClientError, is IOError: HTTPFailure(.connectionLost, mayBeSent: true)
    case HTTPParserError.invalidEOFState: HTTPFailure(.truncated, mayBeSent: true)
    case let error as ResponseAccumulator.ResponseTooBigError:
        HTTPFailure(.tooLarge(limit: error.maxBodySize), mayBeSent: true)
    default: HTTPFailure(.malformed, mayBeSent: true)
    }
}
