import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPFailure {
    /// What an error of URL loading says of the request.
    ///
    /// Apple's codes are distinct. On Linux most failures share one code, and that of a refused
    /// connection is given to later ones, too, if one of the addresses of a host refused before another
    /// took the request: so there the text decides, which is libcurl's and in English.
    package init(_ error: any Error, hasResponse: Bool) {
        guard let error = error as? URLError else {
            self.init(.other("\(type(of: error))"), mayBeSent: true)
            return
        }
        #if canImport(FoundationNetworking)
        let reason =
            Self.reason(error.code) ?? Self.reason(curl: error.localizedDescription, error.code)
        #else
        let reason = Self.reason(error.code) ?? Self.reason(apple: error.code)
        #endif
        if hasResponse, reason.isOfEnd {
            self.init(.truncated, mayBeSent: true)
        } else {
            self.init(reason.reason, mayBeSent: hasResponse || reason.mayBeSent)
        }
    }

    /// Codes that mean the same everywhere.
    private static func reason(_ code: URLError.Code) -> HTTPFailure? {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: HTTPFailure(.unknownHost, mayBeSent: false)
        case .badURL: .invalid("URL loading takes no such address")
        case .networkConnectionLost: HTTPFailure(.connectionLost, mayBeSent: true)
        case .cancelled: HTTPFailure(.cancelled, mayBeSent: true)
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            HTTPFailure(.malformed, mayBeSent: true)
        default: nil
        }
    }

    private var isOfEnd: Bool { reason == .connectionLost || reason == .truncated }
}

#if canImport(FoundationNetworking)
extension HTTPFailure {
    /// What libcurl says, from 7.68 to 8.
    private static func reason(curl text: String, _ code: URLError.Code) -> HTTPFailure {
        func has(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
        // A connection that was there once fails by other words.
        if has("Failed to connect to", "connect to server", "CONNECT") {
            return HTTPFailure(code == .timedOut ? .timedOut : .refused, mayBeSent: false)
        }
        if has("Could not resolve") { return HTTPFailure(.unknownHost, mayBeSent: false) }
        if has("SSL", "TLS", "certificate") {
            // What is refused after the greeting comes in reading or writing, when the request is out.
            let words = text.lowercased()
            return ["read", "write", "recv", "send"].contains { words.contains($0) }
                ? HTTPFailure(.connectionLost, mayBeSent: true)
                : HTTPFailure(.insecure, mayBeSent: false)
        }
        if has("Empty reply", "Recv failure", "Send failure", "HTTP/2 stream") {
            return HTTPFailure(.connectionLost, mayBeSent: true)
        }
        if has("transfer closed", "bytes missing") {
            return HTTPFailure(.truncated, mayBeSent: true)
        }
        if has("HTTP", "response code", "header", "Header", "Content-Length", "chunk", "encoding") {
            return HTTPFailure(.malformed, mayBeSent: true)
        }
        switch code {
        case .timedOut: return HTTPFailure(.timedOut, mayBeSent: true)
        case .badServerResponse, .cannotConnectToHost:
            return HTTPFailure(.connectionLost, mayBeSent: true)
        default: return HTTPFailure(.other(text), mayBeSent: true)
        }
    }
}
#else
extension HTTPFailure {
    private static func reason(apple code: URLError.Code) -> HTTPFailure {
        switch code {
        case .cannotConnectToHost: HTTPFailure(.refused, mayBeSent: false)
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            HTTPFailure(.offline, mayBeSent: false)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .appTransportSecurityRequiresSecureConnection:
            HTTPFailure(.insecure, mayBeSent: false)
        // A server asks for them after the request was sent, perhaps.
        case .clientCertificateRejected, .clientCertificateRequired:
            HTTPFailure(.insecure, mayBeSent: true)
        case .badServerResponse: HTTPFailure(.malformed, mayBeSent: true)
        case .timedOut: HTTPFailure(.timedOut, mayBeSent: true)
        default: HTTPFailure(.other("error \(code.rawValue) of URL loading"), mayBeSent: true)
        }
    }
}
#endif
