package import ModelKitFields

extension DerivedRelation {
    /// The type of the members and its subclasses.
    package var partners: [ModelSchema] { [partner] + partner.subclasses }
    /// Whether a member may have several owners.
    package var hasSeveralOwners: Bool { key.elementSchema != nil }
    /// Whether a member may be without an owner.
    package var mayLackOwner: Bool {
        hasSeveralOwners || !key.needsValue
    }

    /// The field of an owner.
    package func field(of owner: any Model) -> DerivedField? {
        entry.relation(in: owner).map { DerivedField(field: $0) }
    }

    /// The owners that a member has by its key.
    package func owners(of member: any Model) -> [any Model] {
        let schema = member.ownSchema
        let entry = schema.type == partner.type ? key : schema.fieldEntry(named: key.name)
        return entry?.relation(in: member)?.models ?? []
    }
}

extension DerivingKey {
    /// The other side, in an owner.
    package func field(of owner: any Model) -> DerivedField? {
        owner.ownSchema.derivedRelations.first { $0.entry.name == name }?.field(of: owner)
    }
}

/// The field of one owner that is the other side of a key.
package struct DerivedField {
    let field: any RelationField

    /// What distinguishes it from the fields of others.
    package var identity: ObjectIdentifier { ObjectIdentifier(field) }

    /// Whether its members are known.
    package var isLoaded: Bool { !field.isUnloadedRelation && field.isRelated }

    /// How much of it is known.
    package var loadState: LoadState {
        get { field.loadState }
        nonmutating set { field.loadState = newValue }
    }

    /// The members that are known; of a field that is not loaded, those in use.
    package var members: [any Model] { field.relatedModels }

    /// The members that were taken out since it was loaded, as far as that may not be stored yet.
    package var taken: [any Model] { field.takenObjects.compactMap { $0 as? any Model } }

    /// Keeps the members that are taken out from now on, as a store has the owner.
    package func keepTaken() { field.keepTaken() }

    /// Lets go of a member that was taken out, as that is stored.
    package func forgetTaken(_ member: any Model) { field.forgetTaken(member) }

    /// Lets go of all members that were taken out, as no store has the owner.
    package func dropTaken() { field.dropTaken() }

    /// Sets the members as a store has found them; those that are not stored yet come last.
    package func set(_ stored: [any Model], unless isGone: (any Model) -> Bool) {
        field.setMembers(stored, unless: isGone)
    }

    /// Lets go of the members.
    package func unload() { field.unload() }
}

extension ModelSchema.Entry {
    /// Whether its rules demand a value.
    package var needsValue: Bool { sample.needsValue(by: constraint) }
}
