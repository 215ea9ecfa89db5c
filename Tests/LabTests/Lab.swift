import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import Testing

/// The servers that `.ci/lab` starts.
enum Lab {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether they run.
    static let isOpen = environment["MODELKIT_LAB"] != nil

    /// The application itself, nginx before it, and the proxy that does harm.
    static let app = environment["MODELKIT_LAB_APP"] ?? ""
    static let nginx = environment["MODELKIT_LAB_NGINX"] ?? ""
    static let faults = environment["MODELKIT_LAB_FAULTS"] ?? ""
    /// `contacts-server` behind nginx.
    static let contacts = environment["MODELKIT_LAB_CONTACTS"] ?? ""
}

/// What one test sends, which the servers can distinguish from what others send.
struct Run: Sendable {
    let name = UUID().uuidString.lowercased()
    private let direct = URLSessionTransport()
    /// None, unless a deadline is what is tested: other tests may keep this one waiting.
    let limits = HTTPLimits(deadline: nil)

    func request(
        _ method: HTTPMethod,
        _ origin: String,
        _ target: String,
        _ headers: HTTPHeaders = [:],
        json: AttributeValue? = nil
    ) throws -> HTTPRequest {
        var request = HTTPRequest(method, origin, target, headers: headers)
        request.headers["X-Run"] = name
        if let json {
            request.headers["Content-Type"] = "application/json"
            request.body = try json.jsonData()
        }
        return request
    }

    /// How many requests with this method the application got.
    func arrived(_ method: HTTPMethod) async throws -> Int {
        try await number(Lab.app, "/lab/arrived/?run=\(name)", method.rawValue)
    }

    /// How many requests the proxy got.
    func forwarded() async throws -> Int { try await number(Lab.faults, "/faults/", name) }

    /// How many rows the database has: `companies`, `employees` or `tags` of this name.
    func rows(_ table: String) async throws -> Int {
        try await number(Lab.app, "/lab/rows/?name=\(name)", table)
    }

    /// How often this user got another token.
    func refreshes() async throws -> Int {
        try await number(Lab.app, "/lab/refreshes/?user=\(name)", "refreshes")
    }

    /// Has the token of this user expire.
    func expireToken() async throws {
        let request = try request(.post, Lab.app, "/lab/expire/", json: ["user": .string(name)])
        _ = try await direct.send(request, limits).value
    }

    /// A session whose tokens the application gives out.
    func signedIn() -> AuthenticationSession {
        let renew: AuthenticationSession.Renewal = { _, transport in
            Promise.value(()).then { () throws -> Promise<HTTPCredentials?> in
                let json: AttributeValue = ["user": .string(name)]
                let request = try request(.post, Lab.nginx, "/lab/refresh/", json: json)
                return transport.send(request, limits).map { answer in
                    guard case .dictionary(let members) = try AttributeValue(json: answer.body),
                        case .string(let token)? = members["token"]
                    else { return nil }
                    return .bearer(token)
                }
            }
        }
        return AuthenticationSession(restore: renew, refresh: renew, deadline: .seconds(3_600))
    }

    private func number(_ origin: String, _ target: String, _ member: String) async throws -> Int {
        let answer = try await direct.send(HTTPRequest(.get, origin, target), limits).value
        try #require(answer.status == 200)
        guard case .dictionary(let members) = try AttributeValue(json: answer.body),
            case .int(let count)? = members[member]
        else { return 0 }
        return Int(count)
    }
}

/// A transport that counts what is answered, by status.
// Safe: the variable is guarded by the lock.
final class CountingTransport: HTTPTransport, @unchecked Sendable {
    private let base: any HTTPTransport
    private let lock = NSLock()
    private var counts: [Int: Int] = [:]

    init(_ base: any HTTPTransport = URLSessionTransport()) { self.base = base }

    func count(of status: Int) -> Int { lock.withLock { counts[status] ?? 0 } }

    func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        base.send(request, limits).map { [self] response in
            lock.withLock { counts[response.status, default: 0] += 1 }
            return response
        }
    }
}

/// What a promise of a transport fails with.
func failure(of promise: Promise<HTTPResponse>) async -> HTTPFailure? {
    do {
        _ = try await promise.value
        return nil
    } catch {
        return error as? HTTPFailure
    }
}
