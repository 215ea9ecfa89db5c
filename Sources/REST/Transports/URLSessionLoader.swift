import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session of URL loading that does nothing by itself; when it is let go of, what it loads comes to its end.
final class URLSessionLoader: Sendable {
    /// Longer than anybody waits, and short enough to be counted in nanoseconds.
    static let longest: TimeInterval = 366 * 86_400

    private let session: URLSession
    private let tasks = URLSessionTasks()

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        // Its deadlines are those of single packets, and that of the whole is not kept to on Linux.
        configuration.timeoutIntervalForRequest = Self.longest
        configuration.timeoutIntervalForResource = Self.longest
        session = URLSession(configuration: configuration, delegate: tasks, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    func load(_ request: URLRequest, _ exchange: URLSessionExchange) {
        let task = session.dataTask(with: request)
        tasks.add(task, exchange)
        exchange.begin(task)
    }
}

/// Hands on what a session reports of its tasks, as Linux does not know delegates of tasks.
private final class URLSessionTasks: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Guarded<[Int: URLSessionExchange]>([:])

    func add(_ task: URLSessionTask, _ exchange: URLSessionExchange) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private subscript(task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        self[task]?.sent(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        // Linux ignores what is chosen here: who wants no more cancels the task.
        completionHandler(.allow)
        self[dataTask]?.received(response)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self[dataTask]?.received(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
            NSURLAuthenticationMethodDefault:
            self[task]?.isChallenged()
            completionHandler(.rejectProtectionSpace, nil)
        default: completionHandler(.performDefaultHandling, nil)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.ended(error)
    }
}
