import ModelKitFields

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
            entry.relation(in: model)?.becomeLoaded()
        }
    }

    func expectNoInverses(of model: any Model) {
        for relation in relations.all {
            relation.entry.relation(in: model)?.expectNoInverse()
        }
    }
}
