import AsyncHTTPClient
import Foundation
public import ModelKitREST
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends requests by AsyncHTTPClient, over connections that it keeps open; each request once at most.
///
/// It says for certain that nothing was sent where no connection was to be had. Progress is not reported.
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
        let url = request.url?.absoluteString ?? ""
        var draft = try? HTTPClient.Request(url: url, method: .RAW(value: "\(request.method)"))
        draft?.headers = .init(request.headers.map { ($0.name, $0.value) })
        draft?.body = request.body.map { .data($0) }
        guard let sent = draft else { return .failed(HTTPFailure(.unknownHost, mayBeSent: false)) }
        let size = min(limits.responseSize, Int(UInt32.max))
        let delegate = ResponseAccumulator(request: sent, maxBodySize: size)
        let deadline = limits.deadline.map { NIODeadline.now() + TimeAmount($0) }
        let task = client.execute(request: sent, delegate: delegate, deadline: deadline)
        let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
        resolver.whenCancelled { HTTPFailure(.cancelled, mayBeSent: true) }
        resolver.onCancel { task.cancel() }
        // The client is kept until then.
        task.futureResult.whenComplete { [self] result in
            withExtendedLifetime(self) { _ = resolver.resolve(result.map(answer).mapError(cause)) }
        }
        return promise
    }
}

private func answer(_ response: HTTPClient.Response) -> HTTPResponse {
    var answer = HTTPResponse(status: Int(response.status.code), headers: .init(response.headers))
    // What it describes is decompressed by now.
    if answer.headers["Content-Encoding"] != nil { answer.headers["Content-Length"] = nil }
    answer.headers["Content-Encoding"] = nil
    answer.body = response.body.map { Data($0.readableBytesView) } ?? Data()
    return answer
}

private func cause(_ error: any Error) -> any Error {
    switch error {
    case _ where error is NIOConnectionError || (error as? IOError)?.errnoCode == ECONNREFUSED:
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
