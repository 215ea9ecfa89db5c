import ModelKitFields

/// What models that are made now do with `linkFields()`.
package enum Linking {
    enum Mode: Sendable {
        case linking
        /// They are nobody's: such a one is filled, looked at and dropped, or edited by a form.
        case alone(ScratchModels?)
        /// A schema is being made, which has to be there before anything can be linked.
        case deferred(DeferredLinks)
        /// They are being read, and are linked once that has succeeded.
        case collecting(DeferredLinks)
    }

    static var mode: Mode { ModelTask.current?.linking ?? .linking }

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
            (relation.entry.field(in: model) as? any RelationField)?
                .standApart(isDerived: relation.entry.isDerived)
        }
        return model
    }

    /// The same of the class of another model.
    package static func apart(from model: any Model) -> any Model {
        func make<M: Model>(_ type: M.Type) -> any Model { apart(type) }
        return make(model.ownType)
    }

    /// Makes a model that others can find, and that is linked whatever becomes of an import.
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
    public func linkFields() {
        if case .deferred = Linking.mode {} else { ownSchema.countAsLoaded(self) }
        joinRelations()
    }

    /// The same, of a model that may stand for a record.
    package func joinRelations() {
        switch Linking.mode {
        case .linking: ownSchema.link(self)
        case .alone: ownSchema.expectNoInverses(of: self)
        case .deferred(let models): if !models.add(self) { ownSchema.link(self) }
        case .collecting(let models):
            if models.addMade(self) {
                ownSchema.expectNoInverses(of: self)
            } else {
                ownSchema.link(self)
            }
        }
    }
}

extension ModelSchema {
    /// Links the fields of a model of this type.
    func link(_ model: any Model) {
        if !relations.all.isEmpty { Self.link([model]) }
    }

    /// Links models and those that they have, all of them before any gets what others have: so a long
    /// chain of them is not gone along by recursion.
    static func link(_ models: [any Model]) {
        var models = models
        var links: [Link] = []
        var next = 0
        while next < models.count {
            let model = models[next]
            next += 1
            for relation in model.ownSchema.relations.all {
                guard let field = relation.install(in: model) else { continue }
                let partners = field.models
                // From now on whoever gets one keeps both sides in step.
                if partners.isEmpty { continue }
                links.append(Link(model: model, relation: relation, field: field))
                models += partners.filter { relation.side(of: $0)?.isRelated == false }
            }
        }
        var settled: Set<ObjectIdentifier> = []
        var open: [Link] = []
        for link in links where !settled.contains(ObjectIdentifier(link.field)) {
            if link.isOneOfMany {
                open.append(link)
                continue
            }
            link.field.relate()
            // The one model that each of them has is this one now, which needs no look among many.
            guard link.relation.isExclusive else { continue }
            settled.formUnion(
                link.field.models.compactMap {
                    link.relation.side(of: $0).map { ObjectIdentifier($0) }
                }
            )
        }
        relateTogether(open.filter { !settled.contains(ObjectIdentifier($0.field)) })
    }

    /// Gives models to those that they have, to each all at once: one by one each would be looked for
    /// among all before.
    private static func relateTogether(_ links: [Link]) {
        var places: [ObjectIdentifier: Int] = [:]
        var groups: [(side: (any RelationField)?, links: [Link])] = []
        for link in links {
            guard let model = link.field.models.first, let side = link.relation.side(of: model)
            else { continue }
            if let place = places[ObjectIdentifier(side)] {
                groups[place].links.append(link)
            } else {
                places[ObjectIdentifier(side)] = groups.count
                groups.append((side as? any RelationField, [link]))
            }
        }
        for (side, links) in groups {
            if links.count > 1, side?.add(links.map(\.model)) == true { continue }
            for link in links { link.field.relate() }
        }
    }

    /// A field that has models which have not got its owner yet.
    private struct Link {
        let model: any Model
        let relation: Relation
        let field: any RelationField

        /// Whether it has one model, which can be in the fields of several.
        var isOneOfMany: Bool { field.elementField == nil && !relation.isExclusive }
    }

    /// Counts the other sides of keys of a model that is made now as loaded: nobody can have it yet.
    func countAsLoaded(_ model: any Model) {
        for entry in derivedFields {
            (entry.field(in: model) as? any RelationField)?.becomeLoaded()
        }
    }

    func expectNoInverses(of model: any Model) {
        for relation in relations.all {
            (relation.entry.field(in: model) as? any RelationField)?.expectNoInverse()
        }
    }
}
