import ModelKitFields

/// What is kept for a task that reads or makes models.
final class ModelTask: Sendable {
    /// The map of the import.
    let importing: IdentityMap.Importing?
    /// The innermost type whose schema is being made.
    let making: SchemaMaking?
    private let mode: Linking.Mode
    private let task = TaskIdentity()

    private init(
        _ importing: IdentityMap.Importing?,
        _ linking: Linking.Mode,
        _ making: SchemaMaking?
    ) {
        self.importing = importing
        self.making = making
        mode = linking
    }

    static var current: ModelTask? { TaskValues.upper as? ModelTask }

    /// What models that are made do with `linkFields()`.
    var linking: Linking.Mode {
        switch mode {
        case .linking, .deferred: mode
        // A task that was begun in the meantime is no part of it.
        case .alone, .collecting: task.isCurrent ? mode : .linking
        }
    }

    /// Runs a closure with a map.
    static func with<Result>(
        _ importing: IdentityMap.Importing,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try run(ModelTask(importing, Linking.mode, current?.making), body)
    }

    /// Runs a closure in which models are linked in a mode.
    static func with<Result>(
        _ linking: Linking.Mode,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try run(ModelTask(current?.importing, linking, current?.making), body)
    }

    /// Runs a closure in which the schema of a type is made, of models that are linked later.
    static func with<Result>(
        _ making: SchemaMaking,
        _ models: DeferredLinks,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try run(ModelTask(current?.importing, .deferred(models), making), body)
    }

    private static func run<Result>(
        _ task: ModelTask,
        _ body: () throws -> Result
    ) rethrows -> Result {
        defer { task.task.end() }
        return try TaskValues.$upper.withValue(task, operation: body)
    }
}
