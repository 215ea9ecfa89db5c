package import ModelKitFields

/// The other side of a key, and that key.
///
/// `Account.entries` is derived where `Entry.account` is a key: the entries of an account are those whose key
/// is the account.
package struct DerivedRelation: Sendable {
    /// The field of the owner.
    package let entry: ModelSchema.Entry
    /// The field of the members that has the owner's identifier, or those of several.
    package let key: ModelSchema.Entry
    /// The type of the members.
    package let partner: ModelSchema
    /// Whether the members are deleted together with the owner.
    package let cascades: Bool
    /// The type of the members and its subclasses.
    package var partners: [ModelSchema] { [partner] + partner.subclasses }
    /// Whether a member may have several owners.
    package var hasSeveralOwners: Bool { key.elementSchema != nil }
    /// Whether a member may be without an owner.
    package var mayLackOwner: Bool {
        hasSeveralOwners || !key.needsValue
    }

    init(
        _ entry: ModelSchema.Entry,
        _ field: any RelationField,
        _ key: ModelSchema.Entry,
        _ partner: ModelSchema
    ) {
        self.entry = entry
        self.key = key
        self.partner = partner
        cascades = field.declaration.cascades
    }

    /// The field of an owner.
    package func field(of owner: any Model) -> DerivedField? {
        (entry.field(in: owner) as? any RelationField).map { DerivedField(field: $0) }
    }

    /// The owners that a member has by its key.
    package func owners(of member: any Model) -> [any Model] {
        let schema = member.ownSchema
        let entry = schema.type == partner.type ? key : schema.fieldEntry(named: key.name)
        return (entry?.field(in: member) as? any RelationField)?.models ?? []
    }
}

/// A key whose other side is derived.
package struct DerivingKey: Sendable {
    package let key: ModelSchema.Entry
    /// The type that it leads to.
    package let owner: ModelSchema
    /// The name of the other side.
    package let name: String

    /// The other side, in an owner.
    package func field(of owner: any Model) -> DerivedField? {
        owner.ownSchema.derivedRelations.first { $0.entry.name == name }?.field(of: owner)
    }
}

/// The field of one owner that is the other side of a key.
package struct DerivedField {
    let field: any RelationField

    /// What tells it from the fields of others.
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

extension ModelSchema {
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
}

extension Model {
    /// The schema of the model's own class.
    package var classSchema: ModelSchema { ownSchema }

    /// Has the other sides of keys keep what is taken out of them, as a store has the model.
    package func keepTaken() {
        for relation in ownSchema.derivedRelations { relation.field(of: self)?.keepTaken() }
    }

    /// Has the other sides of keys let go of what was taken out of them, as no store has the model.
    package func dropTaken() {
        for relation in ownSchema.derivedRelations { relation.field(of: self)?.dropTaken() }
    }
}

extension ModelSchema {
    /// The field that a closure finds in a model of the type.
    package func relationEntry(_ field: (any Model) -> AnyField?) -> Entry? {
        let found = field(prototype)
        return allFields.first { $0.isRelation && $0.field(in: prototype) === found }
    }
}
