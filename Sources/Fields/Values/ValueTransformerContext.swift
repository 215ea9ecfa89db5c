public import ModelKitValues

/// How models are written for somebody else, and read from there: how keys are spelled, whether nil
/// is written, and which types and fields have another form.
///
/// ```swift
/// var api = ValueTransformerContext(name: "api", keyCase: .snake, explicitNull: false)
/// api.transform(Date.self, with: .epochSeconds)
///
/// final class Person: Model {
///     let firstName = Field<String>()
///     let born = Field<Date>()
/// }
/// person.dictionaryValue(in: api)   // ["first_name": "Ada", "born": -4860432000]
/// try Person(dictionaryValue: ["first_name": "Ada"], in: api)
/// ```
///
/// Every way in and out takes the same steps to the form of a field's value: what the field was given
/// by `transform(with:in:)` for the context of this name, then what this context was given for the
/// type of the value, then the same of the context's parent and so on, and at last the form without
/// any context. An array or a dictionary takes what was given for its elements, if nothing was given for
/// itself. All of it holds for models in fields, too, however deep they are.
///
/// It is a value: what is changed in a copy does not change others, so it can be used on any thread.
/// Contexts of one name share what fields were given.
public struct ValueTransformerContext: Sendable {
    /// What the context is, which a use of models without any has.
    ///
    /// Nil in the default one, by which the ways in and out know that there is nothing to ask.
    package private(set) var registry: TransformerRegistry?

    /// A context that writes and reads as models do without any, but for what is given.
    ///
    /// - Parameters:
    ///   - name: What fields call it.
    ///   - parent: The context that is asked next. Key case and nulls are as there, unless they are
    ///     given or set.
    ///   - keyCase: How the names of keys are written, those that a field was given by `key:` too;
    ///     nil for as they are.
    ///   - explicitNull: Whether nil that was set is written, as null; nil that was never set is not.
    public init(
        name: String,
        parent: ValueTransformerContext? = nil,
        keyCase: KeyCase? = nil,
        explicitNull: Bool? = nil
    ) {
        registry = TransformerRegistry(
            TransformerRegistry.Content(
                name: name,
                parent: parent?.registry,
                keyCase: keyCase ?? parent?.keyCase,
                explicitNull: explicitNull ?? parent?.explicitNull ?? true
            )
        )
    }

    private init(_ registry: TransformerRegistry? = nil) {
        self.registry = registry
    }

    /// The context of models that are given none: keys as they are declared, nil that was set is
    /// null.
    ///
    /// ```swift
    /// var snake = ValueTransformerContext.default
    /// snake.keyCase = .snake
    /// ```
    public static let `default` = ValueTransformerContext()

    /// What fields call the context: "default" without any other.
    public var name: String { registry?.name ?? TransformerRegistry.defaultName }

    /// How the names of keys are written; nil for as they are declared.
    ///
    /// Where two fields of a model would have one key, the later keeps the one that it was declared
    /// with, and a diagnostic says so.
    public var keyCase: KeyCase? {
        get { registry?.keyCase }
        set { registry = TransformerRegistry(changing: registry) { $0.keyCase = newValue } }
    }

    /// Whether nil that was set is written, as null; nil that was never set is not.
    public var explicitNull: Bool {
        get { registry?.explicitNull ?? true }
        set { registry = TransformerRegistry(changing: registry) { $0.explicitNull = newValue } }
    }

    /// Gives all values of a type a form, also those that are elements of arrays and dictionaries.
    ///
    /// The last one counts.
    public mutating func transform<Value: Sendable>(
        _ type: Value.Type,
        with transformer: FieldTransformer<Value>
    ) {
        registry = TransformerRegistry(changing: registry) { $0.transform(with: transformer) }
    }
}

extension ValueTransformerContext: CustomStringConvertible {
    /// The names, this one's first: `api < base`.
    public var description: String {
        name + (registry?.parent.map { " < \(ValueTransformerContext($0))" } ?? "")
    }
}
