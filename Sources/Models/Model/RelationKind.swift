import ModelKitFields

/// How the models of a field are kept with the model that has them.
///
/// It follows from the declarations of both types, never from the order in which types are met.
///
/// | kind | declared as | in the owner's record |
/// |---|---|---|
/// | embedded | `ModelField<Address>()`, `ModelField<Line>()*` | the models, as dictionaries |
/// | key | `ModelField<Account>(foreignKey: true)` | the identifier |
/// | derived | `ModelField<Entry>(inverse: \.account)*`, where `Entry.account` is a key | nothing |
///
/// ```swift
/// Account.schema.relation(of: "entries")?.kind   // .derived
/// Entry.schema.relation(of: "account")?.kind     // .key
/// ```
public enum RelationKind: String, Sendable, Hashable {
    /// The models are part of their owner.
    case embedded
    /// The owner's record has the identifiers of the models.
    case key
    /// The other side of a key: the models whose key is the owner.
    case derived
}

extension RelationKind {
    /// What a field says itself; nil of a field without models.
    init?(declaredBy field: AnyField) {
        guard let field = field as? any RelationField else { return nil }
        self = field.declaration.isForeignKey ? .key : .embedded
    }
}

/// Finds the kinds of the relations of a type whose schema is being made.
///
/// The schemas of other types may not be there yet, so it looks at models of them.
struct RelationKinds {
    private let model: any Model
    private let making: SchemaMaking
    private var prototypes: [ObjectIdentifier: any Model] = [:]

    init(of model: any Model, _ making: SchemaMaking) {
        self.model = model
        self.making = making
    }

    /// The kind of a field of the model, and whether its other side is derived; nil of a field without
    /// models.
    mutating func kind(
        of field: AnyField,
        named name: String
    ) -> (own: RelationKind?, hasDerivedSide: Bool) {
        guard let field = field as? any RelationField else { return (nil, false) }
        let own = field.declaration.isForeignKey
        let declared: RelationKind = own ? .key : .embedded
        let partner = prototype(of: field.partner)
        let other: any RelationField
        let saysInverse: Bool
        if let inverse = field.declaration.inverse {
            guard inverse.takes(model),
                let found = inverse.field(partner) as? any RelationField,
                leadsBack(found, to: name)
            else { return (declared, false) }
            (other, saysInverse) = (found, true)
        } else {
            let found = Self.relationFields(of: partner).first { other in
                guard let inverse = other.declaration.inverse else { return false }
                return inverse.takes(partner) && inverse.field(model) === field
            }
            guard let found else { return (declared, false) }
            (other, saysInverse) = (found, false)
        }
        guard other.declaration.isForeignKey else { return (declared, own) }
        if !own { return (.derived, false) }
        let (isMany, otherIsMany) = (field.elementField != nil, other.elementField != nil)
        let isDerived = isMany == otherIsMany ? saysInverse : isMany
        return isDerived ? (.derived, false) : (.key, true)
    }

    /// Whether a field holds models that have the field of a name: those of the model's own class, or of
    /// one above that has it, too.
    private mutating func leadsBack(_ other: any RelationField, to name: String) -> Bool {
        let held = other.partner
        if ObjectIdentifier(held) == ObjectIdentifier(model.ownType) { return true }
        return FieldScan(of: prototype(of: held)).properties.contains { $0.name == name }
    }

    private mutating func prototype(of type: any Model.Type) -> any Model {
        if let known = prototypes[ObjectIdentifier(type)] { return known }
        let made = ModelSchema.knownPrototype(of: type) ?? type.init()
        // It stays out of all relations, as the prototypes of the type itself.
        _ = making.leaveOut([made])
        prototypes[ObjectIdentifier(type)] = made
        return made
    }

    private static func relationFields(of model: any Model) -> [any RelationField] {
        let listed = type(of: model).declaredFields?.compactMap { $0.field(model) }
        let fields = listed ?? FieldScan(of: model).properties.map(\.field)
        return fields.compactMap { $0 as? any RelationField }
    }
}
