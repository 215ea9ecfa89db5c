import ModelKitFields

extension Model {
    /// Reads the model from any decoder, through its dictionary form.
    ///
    /// Values that do not fit their fields are reported as one `ImportError`. It is the object that
    /// `make(of:)` gives.
    public init(from decoder: any Decoder) throws {
        let dictionary = try AttributeDictionary(from: decoder)
        self.init(made: try Self.make(of: dictionary))
    }

    /// Writes the model to any encoder, through its dictionary form.
    public func encode(to encoder: any Encoder) throws {
        try dictionaryValue().encode(to: encoder)
    }
}
