import Synchronization

/// Messages in another language, or in other words, for the codes of issues.
///
/// ```swift
/// let german = MessageCatalogue { code, parameters in
///     switch code {
///     case "required": "ist erforderlich"
///     case "min": "muss mindestens \(parameters["min"] ?? 0) sein"
///     default: nil
///     }
/// }
/// MessageCatalogue.withCurrent(german) {
///     age.validate()   // .invalid(["muss mindestens 18 sein"])
/// }
/// ```
///
/// Issues know their code and its parameters, and find their words when their message is read: by
/// whom they are read, not by whom the value was checked, so that tasks of several languages share
/// rules, fields and what these have found. A check that passes knows of no catalogue.
///
/// An author's own message (`.message("…")`, `require("must be even")`) stays as it is, unless it was
/// given a code, too.
public struct MessageCatalogue: Sendable {
    private let lookUp: @Sendable (String, [String: AttributeValue]) -> String?

    /// A catalogue that asks a closure.
    ///
    /// - Parameter message: The end of a sentence for a code and the numbers and texts inside of it;
    ///   nil keeps the message as it is. Called on any thread, with no lock held.
    public init(
        _ message:
            @escaping @Sendable (
                _ code: String, _ parameters: [String: AttributeValue]
            ) -> String?
    ) {
        lookUp = message
    }

    /// The catalogue without messages, which keeps the library's own.
    public static let english = MessageCatalogue { _, _ in nil }

    /// The catalogue of the process, unless a task has its own.
    ///
    /// At the start it is ``english``.
    public static var standard: MessageCatalogue {
        get { processCatalogue.value }
        set {
            processCatalogue.value = newValue
            isInUse.store(true, ordering: .relaxed)
        }
    }

    /// The catalogue of the current task: the process's, unless `withCurrent` set another.
    public static var current: MessageCatalogue { taskCatalogue ?? standard }

    /// Runs a closure, in which (and in whose child tasks) messages are those of a catalogue.
    public static func withCurrent<Result>(
        _ catalogue: MessageCatalogue,
        _ body: () throws -> Result
    ) rethrows -> Result {
        isInUse.store(true, ordering: .relaxed)
        return try $taskCatalogue.withValue(catalogue, operation: body)
    }

    /// Runs a closure, in which (and in whose child tasks) messages are those of a catalogue.
    public static func withCurrent<Result>(
        _ catalogue: MessageCatalogue,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        isInUse.store(true, ordering: .relaxed)
        return try await $taskCatalogue.withValue(catalogue, operation: body, isolation: isolation)
    }

    /// The message of an issue in this catalogue, whatever the current one is.
    public func message(for issue: Issue) -> String {
        let words = issue.isReplaceable ? lookUp(issue.code, issue.parameters) : nil
        return issue.phrase(words ?? issue.text)
    }

    /// The message of an issue in the current catalogue.
    static func currentMessage(for issue: Issue) -> String {
        isInUse.load(ordering: .relaxed) ? current.message(for: issue) : issue.plainMessage
    }

    @TaskLocal package static var taskCatalogue: MessageCatalogue?

    private static let processCatalogue = Setting(MessageCatalogue.english)

    /// Whether there ever was another: a task-local is dearer to read than this.
    private static let isInUse = Atomic<Bool>(false)
}
