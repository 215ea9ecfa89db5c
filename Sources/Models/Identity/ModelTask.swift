import ModelKitFields

/// What is kept for a task that reads or makes models.
final class ModelTask: SchemaTask {
    private let map: IdentityMap.Importing?
    let making: SchemaMaking?
    private let mode: Linking.Mode
    private let task = TaskIdentity()

    private init(_ map: IdentityMap.Importing?, _ linking: Linking.Mode) {
        self.map = map
        making = SchemaMaking.innermost
        mode = linking
    }

    /// The map of the import.
    static var importing: IdentityMap.Importing? { importing(in: TaskValues.upper) }

    private static func importing(
        in upper: (any AnyObject & Sendable)?
    ) -> IdentityMap.Importing? {
        guard let upper else { return nil }
        if let task = upper as? ModelTask { return task.map }
        return importing(in: (upper as? SchemaMaking)?.around)
    }

    /// What models that are made do with `linkFields()`.
    static var linking: Linking.Mode {
        guard let upper = TaskValues.upper else { return .linking }
        guard let task = upper as? ModelTask else {
            return (upper as? SchemaMaking).map { .deferred($0) } ?? .linking
        }
        return switch task.mode {
        case .linking, .deferred: task.mode
        // A task that was begun in the meantime is no part of it.
        case .alone, .collecting: task.task.isCurrent ? task.mode : .linking
        }
    }

    /// Runs a closure with a map.
    static func with<Result>(
        _ importing: IdentityMap.Importing,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try run(ModelTask(importing, linking), body)
    }

    /// Runs a closure in which models are linked in a mode.
    static func with<Result>(
        _ linking: Linking.Mode,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try run(ModelTask(importing, linking), body)
    }

    private static func run<Result>(
        _ task: ModelTask,
        _ body: () throws -> Result
    ) rethrows -> Result {
        defer { task.task.end() }
        return try TaskValues.$upper.withValue(task, operation: body)
    }
}
