import ModelKitFields

/// A type whose schema is being made, inside of the making of others.
///
/// The models that it is made of may ask for it in their `init`: such a one gets a schema of its own.
// Safe: `known` is guarded by `lock`.
final class SchemaMaking: @unchecked Sendable {
    private let type: ObjectIdentifier
    private let outer = ModelTask.current?.making
    private let lock = Lock()
    /// That of the model that asked last, which the schema keeps alive.
    private var known: ModelSchema?

    init(of type: ObjectIdentifier) { self.type = type }

    /// The making of a type that the task is in.
    static func current(of type: ObjectIdentifier) -> SchemaMaking? {
        var making = ModelTask.current?.making
        while let found = making, found.type != type { making = found.outer }
        return making
    }

    /// The schema of one model of the type, by its own fields.
    func provisional(of model: any Model, _ make: () -> ModelSchema) -> ModelSchema {
        if let known = lock.withLock({ known }), known.prototype === model { return known }
        let made = make()
        let old = lock.withLock {
            let old = known
            known = made
            return old
        }
        withExtendedLifetime(old) {}
        return made
    }
}

/// Stands for a model of a type that is asked for its fields while there is none.
final class Fieldless: Model {}
