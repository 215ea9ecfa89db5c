import ModelKitFields

/// What is kept for a task that reads or makes models.
final class ModelTask: Sendable {
    /// The map of the import.
    let importing: IdentityMap.Importing?
    /// What models that are made do with `linkFields()`.
    let linking: Linking.Mode

    private init(_ importing: IdentityMap.Importing?, _ linking: Linking.Mode) {
        self.importing = importing
        self.linking = linking
    }

    static var current: ModelTask? { TaskValues.upper as? ModelTask }

    /// Runs a closure with a map.
    static func with<Result>(
        _ importing: IdentityMap.Importing,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let task = ModelTask(importing, current?.linking ?? .linking)
        return try TaskValues.$upper.withValue(task, operation: body)
    }

    /// Runs a closure in which models are linked in a mode.
    static func with<Result>(
        _ linking: Linking.Mode,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let task = ModelTask(current?.importing, linking)
        return try TaskValues.$upper.withValue(task, operation: body)
    }
}
