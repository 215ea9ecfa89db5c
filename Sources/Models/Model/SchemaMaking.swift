import ModelKitFields

/// A type whose schema is being made, inside of the making of others.
///
/// The models that it is made of may ask for it in their `init`: such a one gets a schema of its own.
final class SchemaMaking: Sendable {
    private let type: ObjectIdentifier
    private let outer = ModelTask.current?.making
    /// That of the model that asked last, which the schema keeps alive.
    private let known = Guarded<ModelSchema?>(nil)

    init(of type: ObjectIdentifier) { self.type = type }

    /// The making of a type that the task is in.
    static func current(of type: ObjectIdentifier) -> SchemaMaking? {
        var making = ModelTask.current?.making
        while let found = making, found.type != type { making = found.outer }
        return making
    }

    /// The schema of one model of the type, by its own fields.
    func provisional(of model: any Model, _ make: () -> ModelSchema) -> ModelSchema {
        if let known = known.withLock({ $0 }), known.prototype === model { return known }
        let made = make()
        let old = known.withLock { known in
            defer { known = made }
            return known
        }
        withExtendedLifetime(old) {}
        return made
    }
}

/// Stands for a model of a type that is asked for its fields while there is none.
final class Fieldless: Model {}
