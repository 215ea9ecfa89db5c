#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import ModelKitREST
import TestSupport
import Testing

/// What libcurl says, word for word, under the codes that it comes with.
@Suite struct LibcurlErrorTests {
    private func failure(
        _ code: URLError.Code,
        _ text: String,
        hasResponse: Bool = false
    ) -> HTTPFailure {
        let error = URLError(code, userInfo: [NSLocalizedDescriptionKey: text])
        return HTTPFailure(error, hasResponse: hasResponse)
    }

    @Test(
        arguments: [
            (.cannotConnectToHost, "Failed to connect to a port 1: Connection refused", .refused),
            (
                .cannotConnectToHost,
                "Failed to connect to a port 1 after 0 ms: Couldn't connect to server",
                .refused
            ),
            (.unknown, "Failed to connect to a port 1 after 3 ms: No route to host", .refused),
            (.unknown, "CONNECT tunnel failed, response 403", .refused),
            (
                .timedOut, "Failed to connect to a port 1 after 9 ms: Connection timed out",
                .timedOut
            ),
            (.cannotFindHost, "Could not resolve host: a", .unknownHost),
            (.unknown, "Could not resolve proxy: a", .unknownHost),
            (.unknown, "SSL certificate problem: self-signed certificate", .insecure),
            (
                .unknown, "SSL: no alternative certificate subject name matches target host name",
                .insecure
            ),
            (
                .unknown, "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number",
                .insecure
            ),
            (
                .unknown, "TLS connect error: error:0A000410:SSL routines::handshake failure",
                .insecure
            ),
            (
                .unknown, "OpenSSL SSL_connect: Connection reset by peer in connection to a:443",
                .insecure
            ),
            (
                .unknown, "server verification failed: certificate signer not trusted.",
                .insecure
            ),
            (.unknown, "Couldn't connect to server", .refused),
            // Codes that say enough, whatever the text is.
            (.cannotFindHost, "Empty reply from server", .unknownHost),
            (.dnsLookupFailed, "Empty reply from server", .unknownHost),
            (
                .badURL, "Empty reply from server",
                .invalidRequest("URL loading takes no such address")
            ),
        ] as [(URLError.Code, String, HTTPFailure.Reason)]
    )
    func `what fails before the request is out has certainly sent nothing`(
        code: URLError.Code,
        text: String,
        reason: HTTPFailure.Reason
    ) {
        expect(failure(code, text), equals: HTTPFailure(reason, mayBeSent: false))
    }

    @Test(
        arguments: [
            // The code of a refused connection stays, if one address of a host refused before another took it.
            (.cannotConnectToHost, "Empty reply from server", .connectionLost),
            (.cannotConnectToHost, "Recv failure: Connection reset by peer", .connectionLost),
            (.badServerResponse, "Empty reply from server", .connectionLost),
            (.networkConnectionLost, "Recv failure: Connection reset by peer", .connectionLost),
            (.unknown, "Send failure: Broken pipe", .connectionLost),
            (
                .unknown,
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required",
                .connectionLost
            ),
            (.unknown, "SSL_write() returned SYSCALL, errno = 32", .connectionLost),
            (
                .unknown, "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)",
                .connectionLost
            ),
            (.unknown, "transfer closed with 94 bytes remaining to read", .truncated),
            (.cannotConnectToHost, "end of response with 94 bytes missing", .truncated),
            (.unsupportedURL, "Received HTTP/0.9 when not allowed", .malformed),
            (.unknown, "Invalid Content-Length: value", .malformed),
            (
                .timedOut, "Operation timed out after 9 milliseconds with 0 bytes received",
                .timedOut
            ),
            (.unknown, "Out of memory", .other("Out of memory")),
            (
                .unknown,
                "GnuTLS recv error (-110): The TLS connection was non-properly terminated.",
                .connectionLost
            ),
            (.unknown, "TLS: cannot send data to server", .connectionLost),
            // Codes that say enough, or more than a text that is not known.
            (.networkConnectionLost, "Failed to connect to a port 1", .connectionLost),
            (.cancelled, "Failed to connect to a port 1", .cancelled),
            (.cannotParseResponse, "Failed to connect to a port 1", .malformed),
            (.cannotDecodeRawData, "Failed to connect to a port 1", .malformed),
            (.cannotDecodeContentData, "Failed to connect to a port 1", .malformed),
            (.badServerResponse, "Out of memory", .connectionLost),
            (.cannotConnectToHost, "Out of memory", .connectionLost),
            (.timedOut, "Out of memory", .timedOut),
        ] as [(URLError.Code, String, HTTPFailure.Reason)]
    )
    func `what fails later may have sent it`(
        code: URLError.Code,
        text: String,
        reason: HTTPFailure.Reason
    ) {
        expect(failure(code, text), equals: HTTPFailure(reason, mayBeSent: true))
    }

    @Test(
        arguments: [
            (.networkConnectionLost, "Recv failure: Connection reset", .truncated),
            (.unknown, "transfer closed with 94 bytes remaining to read", .truncated),
            // The request was out, even if the text were of one that was not.
            (.unknown, "Could not resolve host: a", .unknownHost),
            (.timedOut, "Failed to connect to a port 1", .timedOut),
        ] as [(URLError.Code, String, HTTPFailure.Reason)]
    )
    func `what fails within the answer was sent, and what ends there is too short`(
        code: URLError.Code,
        text: String,
        reason: HTTPFailure.Reason
    ) {
        let found = failure(code, text, hasResponse: true)
        expect(found, equals: HTTPFailure(reason, mayBeSent: true))
    }

    @Test func `an error of no known kind may have come after the request`() {
        let found = HTTPFailure(CancellationError(), hasResponse: false)
        expect(found, equals: HTTPFailure(.other("CancellationError"), mayBeSent: true))
    }
}
#endif
