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
///
/// An inverse is the field of the other model that holds this one. It is written on one side, and both
/// models call `linkFields()` when they are made; then a set of either side is a set of both:
///
/// ```swift
/// final class Office: Model {
///     let desks = ModelField<Desk>(inverse: \.office)*
///     init() { linkFields() }
/// }
/// final class Desk: Model {
///     let office = ModelField<Office>()
///     init() { linkFields() }
/// }
///
/// office.desks.append(desk)
/// desk.office.value     // office
/// desk.office.value = other
/// office.desks.value    // []
/// ```
///
/// An object that has one place only leaves it when it gets another. All fields that take part are set
/// before the set returns, under no identifiers and for all threads at once, and the observers of each
/// are notified once, afterwards. A field keeps its models alive, so two models that have each other live
/// until one of them is taken out of the other's field, or ``Model/unlink()`` is called.
// Safe: as for `Field`; its own variables are constants.
public final class ModelField<M: Model>: Field<M>, @unchecked Sendable {
    let declaration: RelationDeclaration

    /// A field of a model.
    ///
    /// - Parameters:
    ///   - value: The default value.
    ///   - name: What people call the field.
    ///   - priority: The place among the fields of a model: lower first, those without come last.
    ///   - key: The key in dictionaries, where it is not the name of the model's property.
    ///   - foreignKey: Whether a dictionary has the identifier of the model and not its fields. A
    ///     model without one is `.null` there, and is left out of an array. One that is not in use is a
    ///     shell when it is read, of the class that `ModelObject.instanceClass(for:)` says for its
    ///     identifier alone.
    ///   - cascadeDelete: Whether the model is deleted together with the one that this field belongs
    ///     to. Otherwise it only loses its place.
    public convenience init(
        value: M? = nil,
        name: String? = nil,
        priority: Int? = nil,
        key: FieldKey? = nil,
        foreignKey: Bool = false,
        cascadeDelete: Bool = false
    ) {
        let declaration = RelationDeclaration(isForeignKey: foreignKey, cascades: cascadeDelete)
        self.init(declaration, value, name, priority, key)
        // Whether the other side says that it is an inverse, the first set asks.
        if !RelationCheck.isDone(for: M.self) { expectInverse() }
    }

    /// A field of a model that has the field's own model in a field for one.
    ///
    /// - Parameters:
    ///   - inverse: The field of the other model.
    ///   - value: The default value.
    ///   - name: What people call the field.
    ///   - priority: The place among the fields of a model: lower first, those without come last.
    ///   - key: The key in dictionaries, where it is not the name of the model's property.
    ///   - foreignKey: Whether a dictionary has the identifier of the model and not its fields.
    ///   - cascadeDelete: Whether the model is deleted together with the one that this field belongs
    ///     to.
    public convenience init<Owner: Model>(
        inverse: any KeyPath<M, ModelField<Owner>> & Sendable,
        value: M? = nil,
        name: String? = nil,
        priority: Int? = nil,
        key: FieldKey? = nil,
        foreignKey: Bool = false,
        cascadeDelete: Bool = false
    ) {
        var declaration = RelationDeclaration(isForeignKey: foreignKey, cascades: cascadeDelete)
        declaration.setInverse(inverse, of: Owner.self)
        self.init(declaration, value, name, priority, key)
        expectInverse()
    }

    /// A field of a model that has the field's own model in a field for several.
    ///
    /// - Parameters:
    ///   - inverse: The field of the other model.
    ///   - value: The default value.
    ///   - name: What people call the field.
    ///   - priority: The place among the fields of a model: lower first, those without come last.
    ///   - key: The key in dictionaries, where it is not the name of the model's property.
    ///   - foreignKey: Whether a dictionary has the identifier of the model and not its fields.
    ///   - cascadeDelete: Whether the model is deleted together with the one that this field belongs
    ///     to.
    public convenience init<Owner: Model>(
        inverse: any KeyPath<M, ModelArrayField<Owner>> & Sendable,
        value: M? = nil,
        name: String? = nil,
        priority: Int? = nil,
        key: FieldKey? = nil,
        foreignKey: Bool = false,
        cascadeDelete: Bool = false
    ) {
        var declaration = RelationDeclaration(isForeignKey: foreignKey, cascades: cascadeDelete)
        declaration.setInverse(inverse, of: Owner.self)
        self.init(declaration, value, name, priority, key)
        expectInverse()
    }

    private init(
        _ declaration: RelationDeclaration,
        _ value: M? = nil,
        _ name: String? = nil,
        _ priority: Int? = nil,
        _ key: FieldKey? = nil
    ) {
        self.declaration = declaration
        super.init(value: value, name: name, priority: priority, key: key)
        if declaration.isForeignKey { transform(with: .foreignKey) } else { hasClassForm = true }
    }

    /// Makes a model in this field (or in each element, of `ModelField<M>().requireValid()*`) valid
    /// only if its own fields are.
    ///
    /// What is wrong with it has the whole path.
    @discardableResult
    public func requireValid() -> Self {
        require(Rule(constraint: .valid, issues: { $0?.validationIssues() ?? [] }))
    }
}

extension ModelField: FormingField {
    package var classForm: any Sendable { FieldTransformer<M>.model }

    package func makeBlank() -> AnyField { ModelField(declaration) }

    package func noteUnrelated(_ label: String?) {
        if declaration.inverse == nil { RelationCheck.run(M.self) } else { reportUnrelated(label) }
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
            traversing: { .dictionary($0.nestedDictionary(in: &$1)) },
            read: { readModel($0, at: $1, in: &$2) }
        )
        transformer.isStandardModel = true
        return transformer
    }

    private static func readModel(
        _ value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Value? {
        let before = scope.issues.count
        let model = Value.make(of: value, at: path, in: &scope)
        return scope.issues.count == before || scope.skipsInvalid ? model : nil
    }

    /// A model as a dictionary of some of its fields alone.
    ///
    /// ```swift
    /// let author = ModelField<Person>().transform(with: .fields(\.id, \.name), in: api)
    /// ```
    ///
    /// Read, it takes what is there, of whichever field. A copy of a model takes all fields, as it is not
    /// made of dictionaries.
    public static func fields(
        _ fields: any (PartialKeyPath<Value> & Sendable)...
    ) -> FieldTransformer {
        FieldTransformer(
            kind: .dictionary,
            holdsModels: true,
            traversing: { model, traversal in
                let selection = fields.compactMap { model[keyPath: $0] as? AnyField }
                let dictionary = model.dictionaryValue(selection, in: &traversal)
                return .dictionary(dictionary ?? model.reference(in: &traversal))
            },
            read: { readModel($0, at: $1, in: &$2) }
        )
    }
}
