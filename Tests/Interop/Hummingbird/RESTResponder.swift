import Foundation
import HTTPTypes
public import Hummingbird
public import ModelKitREST
import ModelKitStores
import NIOCore

/// Has what answers requests, such as a `RESTHandler`, answer those that Hummingbird gets.
///
/// A client that goes away cancels what was begun for it.
///
/// ```swift
/// let application = Application(responder: RESTResponder(handler))
/// try await application.runService()
/// ```
public struct RESTResponder: HTTPResponder {
    public typealias Context = BasicRequestContext

    private let handler: any HTTPTransport
    private let bodySize: Int

    /// - Parameters:
    ///   - handler: What answers.
    ///   - bodySize: How many bytes a body may have, above which the answer is 413.
    public init(_ handler: any HTTPTransport, bodySize: Int = 16 << 20) {
        self.handler = handler
        self.bodySize = bodySize
    }

    public func respond(to request: Request, context: BasicRequestContext) async throws -> Response
    {
        var incoming = ModelKitREST.HTTPRequest(
            ModelKitREST.HTTPMethod(rawValue: request.method.rawValue),
            // As it came, not decoded: an identifier may have a slash.
            request.head.path ?? "/"
        )
        incoming.headers["Host"] = request.head.authority
        // How the body came is over by then.
        for field in request.headers where field.name != .transferEncoding {
            incoming.headers.add(field.name.rawName, field.value)
        }
        do {
            let bytes = try await request.body.collect(upTo: bodySize)
            if bytes.readableBytes > 0 { incoming.body = Data(bytes.readableBytesView) }
        } catch is NIOTooManyBytesError {
            return Response(status: .contentTooLarge)
        }
        let limits = HTTPLimits(deadline: nil, responseSize: .max)
        let answer: ModelKitREST.HTTPResponse
        do {
            answer = try await handler.send(incoming, limits).value
        } catch let failure as HTTPFailure {
            guard case .invalidRequest = failure.reason else { throw failure }
            return Response(status: .badRequest)
        }
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) {
                headers.append(HTTPField(name: name, value: value))
            }
        }
        return Response(
            status: HTTPTypes.HTTPResponse.Status(code: answer.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }
}
