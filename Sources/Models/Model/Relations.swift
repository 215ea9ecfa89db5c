/// The relations of a model type.
struct Relations: Sendable {
    var all: [Relation] = []
    /// Those of them that are the other sides of keys.
    var derived: [DerivedRelation] = []
    /// The keys whose other sides are derived.
    var deriving: [DerivingKey] = []
    /// Whether it is of a type whose schema is being made, of which not all fields may be known.
    var isProvisional = false
}

/// A field of a model type and its inverse.
struct Relation: Sendable {
    let entry: ModelSchema.Entry
    /// The field of the other models.
    let inverse: ModelSchema.Entry
    /// The type whose field that is.
    let partner: ObjectIdentifier

    /// Whether the other models can be in the field of one model only.
    let isExclusive: Bool
}

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
}

/// A key whose other side is derived.
package struct DerivingKey: Sendable {
    package let key: ModelSchema.Entry
    /// The type that it leads to.
    package let owner: ModelSchema
    /// The name of the other side.
    package let name: String
}
