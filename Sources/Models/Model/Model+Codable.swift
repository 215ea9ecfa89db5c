import ModelKitFields

extension Model {
    /// Reads the model from any decoder, through its dictionary form.
    ///
    /// Values that do not fit their fields are reported as one `ImportError`.
    public init(from decoder: any Decoder) throws {
        let dictionary = try AttributeDictionary(from: decoder)
        try self.init(dictionaryValue: dictionary)
    }

    /// Writes the model to any encoder, through its dictionary form.
    public func encode(to encoder: any Encoder) throws {
        try dictionaryValue().encode(to: encoder)
    }
}
