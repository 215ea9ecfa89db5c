import ModelKitEssentials

/// The one channel for what the library has to say to the developer.
///
/// A test receives them for the duration of a closure:
///
/// ```swift
/// ModelKitDiagnostics.withHandler({ diagnostic in log.append(diagnostic.code) }) {
///     field --> field
/// }
/// ```
public enum ModelKitDiagnostics {
    /// Takes a diagnostic, on the thread that caused it, with no lock of the library held.
    public typealias Handler = @Sendable (Diagnostic) -> Void

    /// What is called for each diagnostic of the process, unless a task has a handler of its own.
    ///
    /// At the start it writes one line to standard error.
    public static var handler: Handler {
        get { storage.value }
        set { storage.value = newValue }
    }

    /// Runs a closure, in which (and in whose child tasks) the handler takes every diagnostic.
    @discardableResult
    public static func withHandler<Result>(
        _ handler: @escaping Handler,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try $taskHandler.withValue(TaskHandler(handler), operation: body)
    }

    /// Runs a closure, in which (and in whose child tasks) the handler takes every diagnostic.
    @discardableResult
    public static func withHandler<Result>(
        _ handler: @escaping Handler,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $taskHandler.withValue(
            TaskHandler(handler),
            operation: body,
            isolation: isolation
        )
    }

    package static func report(_ diagnostic: Diagnostic) {
        (taskHandler?.handler ?? handler)(diagnostic)
    }

    package static func report(_ code: Diagnostic.Code, _ message: String, field: String? = nil) {
        report(Diagnostic(code: code, message: message, field: field))
    }

    /// A handler in an object: an optional function as a task-local crashes where Swift 6.3.1 with `-O`
    /// specialises `withValue` (`.ci/toolchain` has the case without the library).
    package final class TaskHandler: Sendable {
        let handler: Handler

        init(_ handler: @escaping Handler) { self.handler = handler }
    }

    @TaskLocal package static var taskHandler: TaskHandler?

    private static let storage = Setting<Handler> { diagnostic in
        let line = diagnostic.description + "\n"
        line.utf8CString.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = write(STDERR_FILENO, start, bytes.count - 1)
        }
    }
}
