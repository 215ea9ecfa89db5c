import ModelKitFields

/// A model that belongs to another one, which a field of it holds.
///
/// Where it is in a REST interface begins with its owner: `/companies/10/employees/45`.
///
/// ```swift
/// final class Company: Model {
///     let id = Field<Int>()
///     let employees = ModelField<Employee>(inverse: \.company)*
///     init() { linkFields() }
/// }
/// final class Employee: Model, HasOwnerField {
///     let id = Field<Int>()
///     let company = ModelField<Company>(foreignKey: true)
///     var ownerField: ModelField<Company> { company }
///     init() { linkFields() }
/// }
/// ```
///
/// It is always the same field, which has to be one of the model's own.
public protocol HasOwnerField: Model {
    associatedtype Owner: Model

    /// The field that holds the owner.
    var ownerField: ModelField<Owner> { get }
}

/// What a model type says of its owner.
package struct Ownership: Sendable {
    /// The field that holds the owner.
    package let entry: ModelSchema.Entry
    /// What the owner is.
    package let schema: ModelSchema
    /// The owner's field that holds the model, if there is one.
    package let inverse: ModelSchema.Entry?
}

extension ModelSchema {
    /// The owner of the type's models; nil if they have none.
    package var ownership: Ownership? {
        guard let field = (prototype as? any HasOwnerField)?.relation,
            let entry = fields.first(where: { $0.field(in: prototype) === field })
        else { return nil }
        return Ownership(
            entry: entry,
            schema: field.partner.schema,
            inverse: relations.all.first { $0.entry === entry }?.inverse
        )
    }
}

extension HasOwnerField {
    fileprivate var relation: any RelationField { ownerField }

    /// The owner that the field holds.
    package var currentOwner: (any Model)? { ownerField.value }
}
