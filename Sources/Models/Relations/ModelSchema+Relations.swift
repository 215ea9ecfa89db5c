package import ModelKitFields

extension ModelSchema {
    /// The fields that have inverses.
    var relations: Relations {
        if let known = knownRelations.withLock({ $0 }) { return known }
        // Made without a lock: it makes the schemas of other types.
        let found = RelationFinder(of: self)
        let made = found.relations
        // A type whose schema is being made may have more fields than are known.
        if isProvisional || made.isProvisional { return made }
        // Others may have made them meanwhile.
        let (relations, isNew) = knownRelations.withLock { known in
            if let known { return (known, false) }
            known = made
            return (made, true)
        }
        if isNew { found.report() }
        return relations
    }

    /// The other sides of keys, and these.
    package var derivedRelations: [DerivedRelation] {
        derivedFields.isEmpty ? [] : relations.derived
    }

    /// The keys whose other sides are derived.
    package var derivingKeys: [DerivingKey] { hasRelations ? relations.deriving : [] }

    /// That of a field of a model; nil if it is none.
    package func derivedRelation(of field: AnyField, in model: any Model) -> DerivedRelation? {
        derivedRelations.first { $0.entry.field(in: model) === field }
    }

    /// The field of the other models that has the one whose field this is; nil without one.
    package func inverse(of entry: Entry) -> Entry? {
        relations.all.first { $0.entry === entry }?.inverse
    }

    /// The field that a closure finds in a model of the type.
    package func relationEntry(_ field: (any Model) -> AnyField?) -> Entry? {
        let found = field(prototype)
        return allFields.first { $0.isRelation && $0.field(in: prototype) === found }
    }

    /// Whether a model that is read may have an inverse, or may be referred to, or one in its fields, or in
    /// theirs.
    var mayLink: Bool { linking.get { findsInverses() } }

    /// The same; nil while the schema of one of the types is being made.
    private func findsInverses() -> Bool? {
        var seen: Set<ObjectIdentifier> = [type]
        var waiting = [self]
        while let next = waiting.popLast() {
            // Which class an object is of, a dictionary may say.
            let relations = next.relations
            if next.prototype is ModelObject || !relations.all.isEmpty { return true }
            if next.isProvisional || relations.isProvisional { return nil }
            guard let isReferredTo = next.findsItself() else { return nil }
            if isReferredTo { return true }
            for entry in next.allFields where entry.isRelation {
                guard let partner = entry.partnerSchema else { continue }
                if seen.insert(partner.type).inserted { waiting.append(partner) }
            }
        }
        return false
    }

    /// Whether a dictionary with nothing but an identifier may stand for a model of the type that it is
    /// inside of, or that is inside of the same one: such a model may have itself, in its fields or in theirs.
    var mayBeReferredTo: Bool { referring.get { findsItself() } }

    /// The same; nil while the schema of one of the types is being made.
    private func findsItself() -> Bool? {
        if isProvisional { return nil }
        guard identifier != nil, hasRelations || !prototype.dynamicFields.isEmpty else {
            return false
        }
        var seen: Set<ObjectIdentifier> = []
        var waiting = [self]
        while let next = waiting.popLast() {
            // Which class an object is of, a dictionary may say.
            if next.prototype is ModelObject { return true }
            if next.isProvisional { return nil }
            // What the object has got itself, another may have, too.
            if next.prototype.dynamicFields.contains(where: { $0 is any RelationField }) {
                return true
            }
            // Behind a foreign key there is no dictionary.
            let nested = next.allFields.filter { $0.isRelation && !$0.isForeignKey }
            let partners = nested.compactMap(\.partnerSchema)
            if partners.contains(self) { return true }
            waiting += partners.filter { seen.insert($0.type).inserted }
        }
        return false
    }
}
