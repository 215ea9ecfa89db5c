public import ModelKitFields

/// A model class that others can inherit from, and whose dictionaries may be of one of those.
///
/// ```swift
/// class Shape: ModelObject, @unchecked Sendable {
///     let kind = Field<String>()
///     override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
///         dictionary["kind"] == "circle" ? Circle.self : self
///     }
/// }
/// final class Circle: Shape, @unchecked Sendable {
///     let radius = Field<Double>()
/// }
///
/// let shape = try Shape.make(of: ["kind": "circle", "radius": 2])   // a Circle
/// ```
///
/// A field of shapes and an array of them are read in the same way. Subclasses have only `let`
/// properties that are Sendable, as every model; the compiler asks them to say so themselves.
// Safe: its property is a constant of a type that guards itself; subclasses say the same of theirs.
open class ModelObject: Model, @unchecked Sendable {
    private let extra = Guarded(DynamicFields())

    public required init() {}

    /// The fields that were added to this object, by priority and then as they were added.
    public final var dynamicFields: [AnyField] { extra.withLock { $0.fields } }

    /// The same as those of a schema.
    final var addedEntries: [ModelSchema.Entry] { extra.withLock { $0.entries } }

    /// A field that is touched when a field is added to this object.
    final var additions: AnyField { extra.withLock { $0.additions } }

    /// Adds a field to this object alone.
    ///
    /// It is in its dictionaries after those of its class, and is validated, visited, found by paths
    /// and copied as they are. Stores do not keep it.
    ///
    /// ```swift
    /// form << Field<String>(key: "nickname")
    /// form["nickname"] = "Ada"
    /// ```
    ///
    /// A field without a key, or with one that the object has already, is not added; a diagnostic says
    /// so.
    ///
    /// - Returns: Whether it was added.
    @discardableResult
    public final func add(_ field: AnyField) -> Bool {
        guard let key = field.key else {
            return refuse(field, "a field was added to \(type(of: self)) without a key")
        }
        let isTaken = ownSchema.allFields.contains { $0.key.collides(with: key) }
        let entry = ModelSchema.Entry(field, at: key)
        guard !isTaken, extra.add(entry, field, where: { !$0.key.collides(with: key) }) else {
            return refuse(field, "\(type(of: self)) has a field with the key \(key) already")
        }
        return true
    }

    /// Whether keys of its fields collide in a context; said once.
    final func isFoundColliding() -> Bool {
        extra.withLock { extra in
            defer { extra.isReported = true }
            return !extra.isReported
        }
    }

    /// Checks fields against each other, as ``Model/check(_:)``; here it does nothing.
    open func check(_ report: inout ModelReport) { report.isDefault = true }

    /// Is called before the model is saved, as ``Model/beforeSave()``; here it does nothing.
    open func beforeSave() throws {}

    /// Is called after the model was created, as ``Model/afterCreate()``; here it does nothing.
    open func afterCreate() {}

    /// Is called after the model was deleted, as ``Model/afterDelete()``; here it does nothing.
    open func afterDelete() {}

    /// The fields, where they are not to be found by reflection, as ``Model/declaredFields``.
    ///
    /// A subclass with fields of its own overrides it again: `(super.declaredFields ?? []) + […]`. The
    /// class above must then list its own, too: beside a list nothing is found by reflection.
    open class var declaredFields: [FieldDeclaration]? { nil }

    /// The classes that inherit from this one: none, unless it is said.
    ///
    /// A store that is asked for models of a class gives those of its subclasses, too: of the ones that are
    /// named here, and of all that the program has used so far.
    ///
    /// ```swift
    /// override class var subclasses: [ModelObject.Type] { [Circle.self, Square.self] }
    /// ```
    ///
    /// A store keeps each class by itself: an identifier, a number that the store makes and the value of a
    /// unique field are taken among the models of one class alone, and so is the order of their creation.
    /// Without an order, a model comes by how many of its own class were created before it, so one that is
    /// created between two such pages may be left out.
    open class var subclasses: [ModelObject.Type] { [] }

    /// What stores and messages call models of this class: its own name.
    open class var modelName: String { String(describing: self) }

    private func refuse(_ field: AnyField, _ message: String) -> Bool {
        // Those that the class is found by are not the last ones.
        if ownSchema.isProvisional { return false }
        ModelKitDiagnostics.reportDeclaration(message, field.label)
        return false
    }

    /// The class of the model of a dictionary: this one or a subclass.
    ///
    /// In whatever context it is read, the fields of the class that is asked for are there under the keys that
    /// they are declared with; their values, and all else, are as they stand in that context. Another class is an
    /// issue of the import.
    open class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type { self }
}

/// Adds a field to one object alone, as ``ModelObject/add(_:)``.
///
/// - Returns: The object.
@discardableResult
public func << <Object: ModelObject>(object: Object, field: AnyField) -> Object {
    object.add(field)
    return object
}

private struct DynamicFields {
    var fields: [AnyField] = []
    /// The same, in the same order.
    var entries: [ModelSchema.Entry] = []
    var isReported = false
    /// Is touched when a field was added, if anybody has asked for it.
    var knownAdditions: Field<Bool>?

    var additions: AnyField {
        mutating get {
            let additions = knownAdditions ?? Field()
            knownAdditions = additions
            return additions
        }
    }
}

extension Guarded<DynamicFields> {
    /// Adds a field, unless there is one against it.
    fileprivate func add(
        _ entry: ModelSchema.Entry,
        _ field: AnyField,
        where isFree: (ModelSchema.Entry) -> Bool
    ) -> Bool {
        let priority = entry.priority ?? .max
        while true {
            let before = withLock { $0.entries }
            guard before.allSatisfy(isFree) else { return false }
            let index = before.firstIndex { $0.priority ?? .max > priority } ?? before.count
            let isAdded = withLock { known in
                if known.fields.count != before.count { return false }
                known.fields.insert(field, at: index)
                known.entries.insert(entry, at: index)
                return true
            }
            if isAdded {
                withLock { $0.knownAdditions }?.touch()
                return true
            }
        }
    }
}

extension Model {
    /// The fields that are in dictionaries: those of the class, and then those of this object alone.
    var entries: [ModelSchema.Entry] {
        let dynamic = dynamicFields
        let declared = ownSchema.fields
        return dynamic.isEmpty
            ? declared : declared + addedEntries(dynamic).filter(\.isConvertible)
    }

    /// All fields: those of the class, and then those of this object alone.
    package var allEntries: [ModelSchema.Entry] {
        let dynamic = dynamicFields
        let declared = ownSchema.allFields
        return dynamic.isEmpty ? declared : declared + addedEntries(dynamic)
    }

    /// Its fields, those in models in them not.
    package var allFields: [AnyField] { allEntries.map { $0.field(in: self) } }

    /// All fields of this object alone.
    private func addedEntries(_ fields: [AnyField]) -> [ModelSchema.Entry] {
        (self as? ModelObject)?.addedEntries ?? dynamicEntries(fields)
    }

    /// The first field for which a condition holds: of the class, or of this object alone.
    func firstEntry(where isWanted: (ModelSchema.Entry) -> Bool) -> ModelSchema.Entry? {
        if let entry = ownSchema.allFields.first(where: isWanted) { return entry }
        let dynamic = dynamicFields
        return dynamic.isEmpty ? nil : addedEntries(dynamic).first(where: isWanted)
    }

    /// Fields of this object alone, as those of a schema.
    func dynamicEntries(_ fields: [AnyField]) -> [ModelSchema.Entry] {
        fields.compactMap { field in field.key.map { ModelSchema.Entry(field, at: $0) } }
    }
}

extension ModelSchema.Entry {
    /// That of a field which only one model has.
    fileprivate convenience init(_ field: AnyField, at key: FieldKey) {
        let kind = RelationKind(declaredBy: field)
        self.init(key.description, field, key: key, access: .field(field), kind)
    }
}
