import Synchronization

/// What values are validated for, where more is demanded than always, or less: to be published, to
/// be kept as a draft.
///
/// ```swift
/// extension ValidationContext {
///     static let publish: Self = "publish"
/// }
/// final class Article: Model {
///     let title = Field<String>().require(.required)
///     let summary = Field<String>().require(.notBlank.on(.publish))
/// }
/// article.validate()               // .valid: a summary is wanted only for
/// article.validate(in: .publish)   // .invalid(["summary cannot be blank"])
/// ```
///
/// A validation is in no context, unless it is given one or several. Rules are evaluated in all of them,
/// but for those that say `on` or `except(on:)`. A context is the task's: a rule, the `check` of a
/// model and all that they validate are in the contexts of the validation that asks them; those whom
/// it notifies are in none, and neither are fields that validate by themselves. An async rule is asked
/// once about a value, in the contexts of the validation that comes first: what its answer is may not
/// depend on them, only, by `on`, whether it counts.
///
/// A field keeps what the last validation found, and in which contexts that was
/// (`validationContexts`). What was found in one context counts in no other: there `validateIfNeeded`
/// asks the rules again, and a form is unknown that was validated in others than its fields.
public struct ValidationContext: Hashable, Sendable, ExpressibleByStringLiteral {
    /// What identifies it.
    public let name: String

    public init(_ name: String) {
        self.name = name
    }

    public init(stringLiteral name: String) {
        self.name = name
    }

    /// The contexts that the task is in; none if nobody has said so.
    public static var current: Set<ValidationContext> {
        isInUse.load(ordering: .relaxed) ? taskContexts : []
    }

    /// Whether the task is in it, such as for the `check` of a model.
    public var isCurrent: Bool { Self.current.contains(self) }

    /// Runs a closure, in which (and in whose child tasks) everything is validated in contexts, and in
    /// no others.
    ///
    /// ```swift
    /// let result = ValidationContext.withCurrent([.publish]) { form.validate(partial) }
    /// ```
    public static func withCurrent<Result>(
        _ contexts: Set<ValidationContext>,
        _ body: () throws -> Result
    ) rethrows -> Result {
        if contexts.isEmpty, current.isEmpty { return try body() }
        isInUse.store(true, ordering: .relaxed)
        return try $taskContexts.withValue(contexts, operation: body)
    }

    /// Runs a closure, in which (and in whose child tasks) everything is validated in contexts, and in
    /// no others.
    public static func withCurrent<Result>(
        _ contexts: Set<ValidationContext>,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        if contexts.isEmpty, current.isEmpty { return try await body() }
        isInUse.store(true, ordering: .relaxed)
        return try await $taskContexts.withValue(contexts, operation: body, isolation: isolation)
    }

    @TaskLocal private static var taskContexts: Set<ValidationContext> = []

    /// Whether there ever was one: a task-local is dearer to read than this.
    private static let isInUse = Atomic<Bool>(false)
}

extension ValidationContext: CustomStringConvertible {
    public var description: String { name }
}
