public import ModelKitFields
public import Observation

/// A final class of fields, which turns itself into dictionaries and JSON and back.
///
/// ```swift
/// final class Person: Model {
///     let id = Field<String>()
///     let name = Field<String>(name: "Name").require(.notBlank)
///     let tags = Field<String>()*
/// }
///
/// let person = Person()
/// person.name.value = "Bob"
/// person.tags.value = ["red"]
/// person.dictionaryValue()   // ["name": "Bob", "tags": ["red"]]
/// ```
///
/// A class of `let` fields needs no other code (a public one needs `public init() {}`): the compiler
/// itself proves that it can be shared between threads. Its properties are found once per type; the
/// library makes two instances for that.
///
/// Two models are equal when they are the same object.
///
/// A model is `Observable`, so that SwiftUI takes it for `@Bindable` and the environment; what a view
/// reads of it are fields, which track that themselves (see `FieldTracking`).
public protocol Model: AnyObject, Sendable, Hashable, Codable, Blankable, Observable,
    CustomStringConvertible
{
    /// Makes a model that knows nothing but its default values.
    init()

    /// Checks fields against each other.
    ///
    /// `validate()` calls it before the rules of the fields, which keep what it reports of them
    /// together with what the rules find.
    ///
    /// ```swift
    /// func check(_ report: inout ModelReport) {
    ///     report.require(end, "must not be before the start") {
    ///         guard let start = start.value, let end = end.value else { return true }
    ///         return start <= end
    ///     }
    /// }
    /// ```
    func check(_ report: inout ModelReport)

    /// Is called by a store that is to create, update or save the model: before its rules are asked and its
    /// values are taken, on the thread of the call; here it does nothing.
    ///
    /// ```swift
    /// func beforeSave() throws {
    ///     slug.value = title.value?.lowercased()
    /// }
    /// ```
    ///
    /// - Throws: What the store then fails with, without having written anything.
    func beforeSave() throws

    /// Is called by a store that has created the model, once that cannot be rolled back, on a thread of the
    /// store's choice and before its promise is settled; here it does nothing.
    ///
    /// It can begin other uses of stores. Where one is not done at once, as no read is, `wait()` throws, as in a
    /// promise's handler; a store in memory reads at once by `lookupImmediately`.
    func afterCreate()

    /// Is called by a store that has deleted the model, once that cannot be rolled back, on a thread of the
    /// store's choice and before its promise is settled; here it does nothing.
    ///
    /// It can begin other uses of stores, as ``afterCreate()`` can.
    ///
    /// The model has its identifier and values still; models that it belonged to have lost it. Those that were
    /// deleted with it are notified, too.
    func afterDelete()

    /// The fields that only this model has, with their keys: none, unless it is a ``ModelObject`` to
    /// which some were added.
    var dynamicFields: [AnyField] { get }

    /// The fields, where they are not to be found by reflection; nil, unless it is said, for those that
    /// are properties of the model.
    ///
    /// ```swift
    /// final class Person: Model {
    ///     let name = Field<String>()
    ///     let address = Address()   // a class or a struct of fields, which is no model
    ///     static var declaredFields: [FieldDeclaration]? {
    ///         [FieldDeclaration("name", \Person.name), FieldDeclaration("city", \Person.address.city)]
    ///     }
    /// }
    /// ```
    ///
    /// All fields are in the list, inherited ones too; what is not in it is no field of the model.
    static var declaredFields: [FieldDeclaration]? { get }

    /// What stores and messages call models of this type; the name of the class, if it is not said.
    ///
    /// Two types whose models are kept in one store need different names.
    static var modelName: String { get }
}

extension Model {
    public static func == (left: Self, right: Self) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public func check(_ report: inout ModelReport) { report.isDefault = true }

    public func beforeSave() throws {}

    public func afterCreate() {}

    public func afterDelete() {}

    public var dynamicFields: [AnyField] { [] }

    public static var declaredFields: [FieldDeclaration]? { nil }

    public static var modelName: String { String(describing: self) }

    /// The fields of this type: found once, then shared.
    ///
    /// An `init` that the library calls to find them sees none yet.
    // Not `Self.self`: of `type(of: model)` that is the class the model is known as.
    public static var schema: ModelSchema { ModelSchema.of(self) }

    /// The schema of the model's own class, which may be a subclass of the one it is known as.
    package var ownSchema: ModelSchema { ModelSchema.of(self) }

    /// The model's own class, to be opened: what is made of it is of that class in every build.
    package var ownType: any Model.Type { ModelSchema.dynamic(Swift.type(of: self)) }

    /// The model, to be opened with its own class in every build.
    ///
    /// Swift 6.3.1 with `-O` opens what it has seen become an `any Model` with the type that it was known as
    /// before (`.ci/toolchain` has the case without the library): this hides it.
    @inline(never)
    package var opened: any Model { self }

    /// The identifier, if the model has one: the value of the field named `id`, or of the one
    /// declared with `.identifier()`.
    public var identifier: Identifier? {
        guard let field = ownSchema.identifier?.field(in: self) else { return nil }
        var traversal = Traversal()
        return field.attributeValue(in: &traversal).flatMap { try? Identifier(attributeValue: $0) }
    }

    /// Whether a field that is not loaded says nothing: of a shell, and of a model that was unloaded.
    package var hasGaps: Bool { ownSchema.identifier?.loadState(in: self) == .incomplete }

    /// The type and the fields that have a value: `Person(name: "Bob", tags: ["red"])`.
    ///
    /// A model that contains itself is written once, and as its identifier where it comes again.
    public var description: String {
        var traversal = Traversal()
        return describe(in: &traversal)
    }

    func describe(in traversal: inout Traversal) -> String {
        var fields: [String]?
        traversal.visit(self, hasName: { true }) { traversal in
            fields = entries.compactMap { entry in
                entry.field(in: self).typed?.valueDescription(in: &traversal).map {
                    "\(entry.name): \($0)"
                }
            }
        }
        let content = fields?.joined(separator: ", ") ?? identifier?.description ?? "…"
        return "\(ownSchema.name)(\(content))"
    }
}
