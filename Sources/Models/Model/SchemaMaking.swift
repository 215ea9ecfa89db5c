import ModelKitFields

/// What is kept for a task in which a schema may be made.
protocol SchemaTask: AnyObject, Sendable {
    /// The innermost type whose schema is being made.
    var making: SchemaMaking? { get }
}

/// A type whose schema is being made, inside of the making of others.
///
/// The models that it is made of may ask for it in their `init`: such a one gets a schema of its own. All that
/// are made meanwhile are linked when the schema is there, except those that it is made of.
final class SchemaMaking: SchemaTask {
    private struct Models {
        var open: [any Model] = []
        var isClosed = false
        var link: (@Sendable ([any Model]) -> Void)?
    }

    private let type: ObjectIdentifier
    private let outer = SchemaMaking.innermost
    /// What was kept for the task before.
    let around = TaskValues.upper
    /// That of the model that asked last, which the schema keeps alive.
    private let known = Setting<ModelSchema?>(nil)
    private let models = Guarded(Models())

    init(of type: ObjectIdentifier) { self.type = type }

    var making: SchemaMaking? { self }

    static var innermost: SchemaMaking? {
        (TaskValues.upper as? any SchemaTask)?.making
    }

    /// The making of a type that the task is in.
    static func current(of type: ObjectIdentifier) -> SchemaMaking? {
        var making = innermost
        while let found = making, found.type != type { making = found.outer }
        return making
    }

    /// Runs a closure in which the schema is made.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try TaskValues.$upper.withValue(self, operation: body)
    }

    /// Adds a model that wants to be linked.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - link: Links models when the schema is there.
    /// - Returns: Whether it was added: nothing is any more once all are linked.
    func add(_ model: any Model, _ link: @escaping @Sendable ([any Model]) -> Void) -> Bool {
        models.withLock { models in
            if models.isClosed { return false }
            models.open.append(model)
            models.link = link
            return true
        }
    }

    /// Forgets models that the schema is made of, which stay out of all relations.
    ///
    /// - Returns: Whether they were to be linked.
    func leaveOut(_ prototypes: [any Model]) -> Bool {
        models.withLock { models in
            let count = models.open.count
            models.open.removeAll { model in prototypes.contains { $0 === model } }
            return models.open.count < count
        }
    }

    /// Links the models that are left.
    func finish() {
        let left = models.exchange(Models(isClosed: true))
        left.link?(left.open)
    }

    /// The schema of one model of the type, by its own fields.
    func provisional(of model: any Model, _ make: () -> ModelSchema) -> ModelSchema {
        if let known = known.value, known.prototype === model { return known }
        let made = make()
        known.value = made
        return made
    }
}

/// Stands for a model of a type that is asked for its fields while there is none.
final class Fieldless: Model {}
