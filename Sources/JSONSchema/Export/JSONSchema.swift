public import ModelKitEssentials
public import ModelKitFields
public import ModelKitForms
public import ModelKitModels

/// A JSON Schema (draft 2020-12) of what rules, a form or a model demand.
///
/// ```swift
/// let schema = JSONSchema(Person.self)
/// try schema.jsonData()               // {"$schema": "https://json-schema.org/…
/// schema.notRepresented.map(\.description)
/// // ["name has a rule that only its code knows"]
/// ```
///
/// It never refuses what the rules accept. What a schema cannot say is left out, and of what it can
/// say only in part it has the part that follows from the rule; `notRepresented` lists both, so a
/// schema with an empty list accepts just what the rules do. Of what remains outside of that:
///
/// - `format` and `contentEncoding` are annotations, as the draft has them by default.
/// - `multipleOf` a fraction forgives rounding as a rule, and not in the schema.
/// - Texts are compared scalar by scalar. Of several spellings of a character that Swift takes for
///   the same (é in one scalar or in two) it knows those of the rule.
/// - Numbers are decimal, as they are written.
/// - Integers have no limits but those of their types up to 32 bits, and 0 of those without a sign.
/// - A form that code makes has the type that the code says, unless it is seen to read others: it is asked for
///   a few values of each.
///
/// JSON Schema counts the length of a text in Unicode scalars, rules by default in characters, of
/// which each has one scalar or more. So `minLength(3)` is there, in part, and `maxLength(40)` is
/// not: 40 characters can have any number of scalars. `maxLength(40, in: .scalars)` is.
///
/// nil is `null`, or an absent property; presence rules refuse both. Warnings demand nothing.
public struct JSONSchema: Hashable, Sendable {
    /// The schema.
    public let document: AttributeValue

    /// What it does not say, or only in part: each with its path, where `*` is every element or
    /// every key, and the code "notRepresented" or "partlyRepresented".
    public let notRepresented: [Issue]

    private init(_ root: SchemaNode, _ builder: SchemaBuilder) {
        var builder = builder
        builder.define()
        var keywords = root.keywords
        keywords["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        if !builder.definitions.isEmpty { keywords["$defs"] = .dictionary(builder.definitions) }
        document = .dictionary(keywords)
        notRepresented = builder.notRepresented
    }

    /// The schema as JSON text in UTF-8, its keys sorted, so that equal schemas are equal texts.
    ///
    /// - Parameter isPretty: Whether the text is laid out for people.
    /// - Returns: The text.
    /// - Throws: An `ImportError` if something is nested deeper than 512 levels.
    public func jsonData(isPretty: Bool = true) throws(ImportError) -> Data {
        try document.jsonData(isPretty: isPretty)
    }
}

extension JSONSchema {
    /// The schema of the values that a rule accepts.
    ///
    /// ```swift
    /// let schema = JSONSchema(Rule<Int>.required && .range(1...6))
    /// // {"type": "integer", "minimum": 1, "maximum": 6, …
    /// ```
    public init<Value>(_ rule: Rule<Value>) {
        var builder = SchemaBuilder()
        let constraint = rule.constraint
        let root = builder.schema(of: JSONType(Value.self).plain, demanding: constraint, at: [])
        self.init(root, builder)
    }

    /// The schema of the objects whose properties pass the checks of a form, by their names.
    ///
    /// What the initialiser of the type refuses is not in it.
    public init<Root, Outcome>(_ validation: Partial<Root>.Validation<Outcome>) {
        var builder = SchemaBuilder()
        let root = builder.schema(of: validation.checks.map(\.demand))
        self.init(root, builder)
    }

    /// The schema of the dictionaries of which valid models of a type are made.
    ///
    /// A key is required if its field is not valid without it. Models in fields are objects; what
    /// their own rules demand counts where the field says `requireValid()`. Fields have their
    /// names as titles, and as default values those that are the same in each new model. An object of a
    /// `ModelObject` may be of a subclass, which demands more; `notRepresented` says so.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - context: How the dictionaries are written: their keys, and the forms of values.
    public init<M: Model>(_ type: M.Type, in context: ValueTransformerContext = .default) {
        var builder = SchemaBuilder(in: context.registry)
        let root = builder.root(M.schema)
        self.init(root, builder)
    }
}

extension JSONSchema: CustomStringConvertible {
    /// The text, laid out.
    public var description: String {
        (try? jsonData()).map { String(decoding: $0, as: UTF8.self) } ?? document.description
    }
}
