import ModelKitFields

/// What models that are made now do with `linkFields()`.
package enum Linking {
    enum Mode: Sendable {
        case linking
        /// They are nobody's: such a one is filled, looked at and dropped, or edited by a form.
        case alone
        /// A schema is being made, which has to be there before anything can be linked.
        case deferred(Deferred)
    }

    @TaskLocal static var mode = Mode.linking

    /// Makes a model that is no part of any relation, whatever its fields are set to.
    package static func alone<M: Model>(_ type: M.Type) -> M {
        $mode.withValue(.alone) { type.init() }
    }

    /// The models that were made while a schema was.
    // Safe: `models` is guarded by the lock.
    final class Deferred: @unchecked Sendable {
        private let lock = Lock()
        private var models: [any Model] = []

        func add(_ model: any Model) { lock.withLock { models.append(model) } }

        /// Forgets the models that the schema was made of, which stay out of all relations.
        ///
        /// - Returns: Whether they were to be linked.
        func leaveOut(_ prototypes: [any Model]) -> Bool {
            lock.withLock {
                let count = models.count
                models.removeAll { model in prototypes.contains { $0 === model } }
                return models.count < count
            }
        }

        /// Links the others, which may be in use.
        func link() {
            for model in lock.withLock({ models }) { model.linkFields() }
        }
    }
}

extension Model {
    /// Keeps the fields that have inverses in step with them.
    ///
    /// A model with such fields calls it in its `init`, at the end; default values are linked, too.
    /// A second call does nothing. A diagnostic tells of a type that does not call it.
    ///
    /// ```swift
    /// final class Desk: Model {
    ///     let office = ModelField<Office>()
    ///     init() { linkFields() }
    /// }
    /// ```
    public func linkFields() {
        switch Linking.mode {
        case .linking: ownSchema.link(self)
        case .alone: ownSchema.expectNoInverses(of: self)
        case .deferred(let deferred): deferred.add(self)
        }
    }
}

extension ModelSchema {
    /// Links the fields of a model of this type.
    func link(_ model: any Model) {
        for relation in relations.all { relation.link(model) }
    }

    func expectNoInverses(of model: any Model) {
        for relation in relations.all {
            (relation.entry.field(in: model) as? any RelationField)?.expectNoInverse()
        }
    }
}
