public import ModelKitFields

/// A field whose value is a model.
///
/// In a dictionary it is a dictionary.
///
/// ```swift
/// final class Company: Model { let name = Field<String>() }
/// final class Employee: Model {
///     let company = ModelField<Company>()
///     let past = ModelField<Company>()*
/// }
/// ```
///
/// A set to the same object is no change, whatever its fields are.
// Safe: as for `Field`; it has no variable of its own.
public final class ModelField<M: Model>: Field<M>, @unchecked Sendable {
    public override init(
        value: M? = nil,
        name: String? = nil,
        priority: Int? = nil,
        key: FieldKey? = nil
    ) {
        super.init(value: value, name: name, priority: priority, key: key)
        transform(with: .model)
        makeCopies { ModelField() }
    }

    /// Makes a model in this field (or in each element, of `ModelField<M>().requireValid()*`) valid
    /// only if its own fields are.
    ///
    /// What is wrong with it has the whole path.
    @discardableResult
    public func requireValid() -> Self {
        require(Rule(constraint: .valid, issues: { $0?.nestedIssues() ?? [] }))
    }
}

/// A field whose value is several models, in order.
///
/// ```swift
/// let employees = ModelField<Employee>()*
/// employees.append(employee)
/// ```
public typealias ModelArrayField<M: Model> = ArrayField<M>

extension FieldTransformer where Value: Model {
    /// A model as a dictionary; where it is inside of itself, with its identifier alone, if it has
    /// one.
    static var model: FieldTransformer {
        var transformer = FieldTransformer(
            kind: .dictionary,
            holdsModels: true,
            traversing: { model, traversal in
                if let dictionary = model.dictionaryValue(in: &traversal) {
                    return .dictionary(dictionary)
                }
                return .dictionary(model.reference(in: &traversal))
            },
            read: { value, path, scope in
                guard case .dictionary(let dictionary) = value else {
                    scope.issues.append(.wrongType(value, expected: "a dictionary", at: path))
                    return nil
                }
                let model = Value()
                let before = scope.issues.count
                model.read(dictionary, at: path, in: &scope)
                return scope.issues.count == before || scope.skipsInvalid ? model : nil
            }
        )
        transformer.isStandardModel = true
        return transformer
    }
}

extension Model {
    /// The dictionary with nothing but the identifier, if there is one.
    func reference(in traversal: inout Traversal) -> AttributeDictionary {
        let schema = Self.schema
        guard let index = schema.fields.firstIndex(where: { $0 === schema.identifier }),
            let value = schema.fields[index].field(in: self).attributeValue(in: &traversal),
            !value.isNull
        else { return [:] }
        var reference: AttributeDictionary = [:]
        reference.set(value, at: schema.plan(in: traversal.registry).keys[index].names[...])
        return reference
    }
}
