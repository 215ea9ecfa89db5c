public import ModelKitFields
public import ModelKitEssentials

extension Model {
    /// Makes a model of a JSON object.
    ///
    /// The values go straight from the bytes to the fields. Keys that no field has are skipped,
    /// whatever numbers stand there.
    ///
    /// ```swift
    /// let person = try Person(json: Data(#"{"id": "p1", "tags": ["red"]}"#.utf8))
    /// ```
    ///
    /// - Parameters:
    ///   - json: The object, in UTF-8.
    ///   - context: How models are written there.
    ///   - policy: What happens to values that do not fit.
    ///   - options: What else is asked of the text.
    /// - Throws: An `ImportError` that names the place where the text is not JSON, as
    ///   `AttributeValue(json:)` does, or every value that does not fit its field, by its path; its
    ///   `places` are those of the values in the text.
    public init(
        json: Data,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions()
    ) throws(ImportError) {
        let model = try json.withJSON { bytes throws(ImportError) in
            try JSONImport(bytes: bytes, options: options).model(Self.self, in: context, policy)
        }
        self.init(made: model)
    }

    /// Sets the fields whose keys a JSON object has; the others keep their values, and all do where the
    /// text is not JSON.
    ///
    /// - Parameters:
    ///   - json: The object, in UTF-8.
    ///   - context: How the model is written there.
    ///   - policy: What happens to values that do not fit.
    ///   - options: What else is asked of the text.
    /// - Throws: An `ImportError` as from `init(json:)`. Fields whose values do not fit keep theirs; the
    ///   others are set.
    public func read(
        json: Data,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions()
    ) throws(ImportError) {
        try json.withJSON { bytes throws(ImportError) in
            try JSONImport(bytes: bytes, options: options).read(self, in: context, policy)
        }
    }

    /// The model as a JSON object in UTF-8, with sorted keys.
    ///
    /// - Parameters:
    ///   - fields: The fields of this model that are written; nil for all. Models in fields are
    ///     written whole.
    ///   - context: How models are written there.
    ///   - isPretty: Whether the text is laid out for people: a line for each element, indented by two
    ///     spaces.
    /// - Returns: The text, without a line break at its end.
    /// - Throws: An `ImportError` with the path of everything that JSON cannot say, such as a number
    ///   that is not finite.
    public func jsonData(
        fields: [AnyField]? = nil,
        in context: ValueTransformerContext = .default,
        isPretty: Bool = false
    ) throws(ImportError) -> Data {
        if fields == nil, !isPretty {
            var writer = JSONWriter(isPretty: false)
            var traversal = Traversal(in: context.registry)
            if case .written = writer.write(self, in: &traversal) { return writer.data() }
        }
        var traversal = Traversal(in: context.registry)
        let dictionary = dictionaryValue(fields, in: &traversal) ?? [:]
        if let cut = traversal.cut { throw .tooMuch(cut) }
        return try AttributeValue.dictionary(dictionary).jsonData(isPretty: isPretty)
    }
}

extension Array where Element: Model {
    /// Makes models of a JSON array of objects.
    ///
    /// - Parameters:
    ///   - json: The array, in UTF-8.
    ///   - context: How models are written there.
    ///   - policy: What happens to values that do not fit: what is no object is left out, too.
    ///   - options: What else is asked of the text.
    /// - Throws: An `ImportError` with everything that is wrong in any of them.
    public init(
        json: Data,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions()
    ) throws(ImportError) {
        self = try json.withJSON { bytes throws(ImportError) in
            try JSONImport(bytes: bytes, options: options).models(Element.self, in: context, policy)
        }
    }

    /// The models as a JSON array of objects in UTF-8, with sorted keys.
    ///
    /// - Parameters:
    ///   - context: How models are written there.
    ///   - isPretty: Whether the text is laid out for people: a line for each element, indented by two
    ///     spaces.
    /// - Returns: The text, without a line break at its end.
    /// - Throws: An `ImportError` with the path of everything that JSON cannot say, such as a number
    ///   that is not finite.
    public func jsonData(
        in context: ValueTransformerContext = .default,
        isPretty: Bool = false
    ) throws(ImportError) -> Data {
        if !isPretty {
            var writer = JSONWriter(isPretty: false)
            var traversal = Traversal(in: context.registry)
            if case .written = writer.write(self, in: &traversal) { return writer.data() }
        }
        var traversal = Traversal(in: context.registry)
        let elements = map { AttributeValue.dictionary($0.dictionaryValue(in: &traversal) ?? [:]) }
        if let cut = traversal.cut { throw .tooMuch(cut) }
        return try AttributeValue.array(elements).jsonData(isPretty: isPretty)
    }
}

extension ImportError {
    fileprivate static func tooMuch(_ cut: Traversal.Cut) -> ImportError {
        let reason =
            switch cut {
            case .depth: "it is nested deeper than \(JSONWriter.depthLimit) levels"
            case .size: "models share others so often that there would be too many"
            }
        let message = "cannot be written as JSON: \(reason)"
        return ImportError(issues: [Issue(code: "json", message: message)])
    }
}
