import ModelKitFields

/// What models that are made now do with `linkFields()`.
package enum Linking {
    enum Mode: Sendable {
        case linking
        /// They are nobody's: such a one is filled, looked at and dropped, or edited by a form.
        case alone(ScratchModels?)
        /// A schema is being made, which has to be there before anything can be linked.
        case deferred(SchemaMaking)
        /// They are being read, and are linked once that has succeeded.
        case collecting(DeferredLinks)
    }

    static var mode: Mode { ModelTask.linking }

    /// Whether models that are made now are linked then.
    static var isAtOnce: Bool {
        switch mode {
        case .linking: true
        case .collecting(let models): !models.isMaking
        case .alone, .deferred: false
        }
    }

    /// Makes a model that is no part of any relation, whatever its fields are set to.
    package static func alone<M: Model>(_ type: M.Type) -> M { alone { type.init() } }

    /// Runs a closure, whose models are no part of any relation.
    ///
    /// - Parameters:
    ///   - models: What lets go of those that are read, once it is gone itself; nil, where they are used then.
    ///   - body: Makes them.
    /// - Returns: What the closure returns.
    package static func alone<Result>(
        in models: ScratchModels? = nil,
        _ body: () throws -> Result
    ) rethrows -> Result {
        if models == nil, case .alone = mode { return try body() }
        return try ModelTask.with(.alone(models), body)
    }

    /// Makes a model that no other model's field sets, also when it is in one of theirs.
    package static func apart<M: Model>(_ type: M.Type) -> M {
        let model = alone { type.init() }
        for relation in model.ownSchema.relations.all {
            relation.entry.relation(in: model)?
                .standApart(isDerived: relation.entry.isDerived)
        }
        return model
    }

    /// The same of the class of another model.
    package static func apart(from model: any Model) -> any Model {
        func make<M: Model>(_ type: M.Type) -> any Model { apart(type) }
        return make(model.ownType)
    }

    /// Whether a model is edited in place of another one, or has relations and no other model's field sets it.
    package static func isApart(_ model: any Model) -> Bool {
        let schema = model.ownSchema
        return schema.allFields.first?.field(in: model).isStandIn ?? false
            || schema.relations.all.contains { $0.entry.relation(in: model)?.isApart ?? false }
    }

    /// Notes whether a model is edited in place of another one, which its relations show only if it has some.
    package static func noteStandIn(_ model: any Model, _ isStandIn: Bool) {
        model.ownSchema.allFields.first?.field(in: model).noteStandIn(isStandIn)
    }

    /// Links models that were made before, as those that are made now.
    static func link(_ models: [any Model]) {
        if isAtOnce { return ModelSchema.link(models) }
        for model in models { model.joinRelations() }
    }

    /// Makes a model that others can find, and that is linked even where an import fails.
    static func shared<M: Model>(_ type: M.Type) -> M {
        switch mode {
        case .linking, .deferred: type.init()
        case .alone, .collecting: ModelTask.with(.linking) { type.init() }
        }
    }
}

extension Model {
    /// Keeps the fields that have inverses in step with them.
    ///
    /// A model with such fields calls it in its `init`, at the end; default values are linked, too.
    /// A second call does nothing. A type that does not call it is reported as a diagnostic.
    ///
    /// ```swift
    /// final class Desk: Model {
    ///     let office = ModelField<Office>()
    ///     init() { linkFields() }
    /// }
    /// ```
    public func linkFields() { joinRelations(isNew: true) }

    /// The same, of a model that may stand for a record.
    package func joinRelations(isNew: Bool = false) {
        let mode = Linking.mode
        if case .deferred = mode {} else if isNew { ownSchema.countAsLoaded(self) }
        switch mode {
        case .linking: ownSchema.link(self)
        case .alone: ownSchema.expectNoInverses(of: self)
        case .deferred(let making):
            if !making.add(self, { Linking.link($0) }) { ownSchema.link(self) }
        case .collecting(let models):
            if models.addMade(self) {
                ownSchema.expectNoInverses(of: self)
            } else {
                ownSchema.link(self)
            }
        }
    }
}
