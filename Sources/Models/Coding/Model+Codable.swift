import ModelKitFields

extension Model {
    /// Reads the model from any decoder, through the schema: each field is asked for a value of its
    /// own type.
    ///
    /// The decoder's strategies for keys, dates and data hold; dates and data are also read from the
    /// texts that ``jsonData(fields:in:isPretty:)`` has. The context is that of the decoder's
    /// `userInfo`, if there is one:
    ///
    /// ```swift
    /// let decoder = JSONDecoder()
    /// decoder.keyDecodingStrategy = .convertFromSnakeCase
    /// decoder.dateDecodingStrategy = .secondsSince1970
    /// decoder.userInfo[.valueTransformerContext] = api
    /// let person = try decoder.decode(Person.self, from: json)
    /// ```
    ///
    /// Values that do not fit their fields are reported as one `ImportError`. It is the object that
    /// `make(of:)` gives. A decoder whose data do not describe themselves has to know which keys there
    /// are and where there is nil; fields whose form differs from value to value cannot be read from it.
    public init(from decoder: any Decoder) throws {
        let context = decoder.userInfo.context
        let container = try decoder.container(keyedBy: CodedKey.self)
        let dictionary = try CodedModel<Self>.decode(container, in: context.registry)
        self.init(made: try Self.make(of: dictionary, in: context))
    }

    /// Writes the model to any encoder, through the schema: each value as one of its field's type.
    ///
    /// The encoder's strategies for keys, dates and data hold, and the context is that of its
    /// `userInfo`. The keys of dictionaries in fields are no names of properties, and stay. What a
    /// transformer has made text or a number is one for the encoder, too.
    public func encode(to encoder: any Encoder) throws {
        let context = encoder.userInfo.context
        let dictionary = dictionaryValue(in: context)
        try ownSchema.encode(dictionary, to: encoder, in: context.registry)
    }
}

extension CodingUserInfoKey {
    /// The ``ModelKit/ValueTransformerContext`` in which a coder reads or writes models.
    ///
    /// ```swift
    /// encoder.userInfo[.valueTransformerContext] = ValueTransformerContext(name: "api", keyCase: .snake)
    /// ```
    public static var valueTransformerContext: CodingUserInfoKey { known }

    // Any text makes a key.
    // swift-format-ignore: NeverForceUnwrap
    private static let known = CodingUserInfoKey(rawValue: "ModelKit.valueTransformerContext")!
}

extension [CodingUserInfoKey: Any] {
    /// The context that a coder was given; the default one otherwise.
    var context: ValueTransformerContext {
        self[.valueTransformerContext] as? ValueTransformerContext ?? .default
    }
}
