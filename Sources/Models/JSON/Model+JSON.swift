public import ModelKitFields

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Model {
    /// Makes a model of a JSON object.
    ///
    /// The values go straight from the bytes to the fields. Keys that no field has are skipped.
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
        let result = json.withUnsafeBytes { bytes in
            JSONImport.result { () throws(ImportError) in
                try JSONImport(bytes, options).model(Self.self, in: context, policy)
            }
        }
        self.init(made: try result.get())
    }

    /// The model as a JSON object in UTF-8, with sorted keys.
    ///
    /// - Parameter context: How models are written there.
    /// - Returns: The text, without a line break at its end.
    /// - Throws: An `ImportError` with the path of everything that JSON cannot say, such as a number
    ///   that is not finite.
    public func jsonData(in context: ValueTransformerContext = .default) throws(ImportError) -> Data
    {
        var writer = JSONWriter(isPretty: false)
        var traversal = Traversal(in: context.registry)
        if case .written = writer.write(self, in: &traversal) { return writer.data() }
        traversal = Traversal(in: context.registry)
        let dictionary = dictionaryValue(in: &traversal) ?? [:]
        if traversal.isCut { throw .tooDeep }
        return try AttributeValue.dictionary(dictionary).jsonData()
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
        let result = json.withUnsafeBytes { bytes in
            JSONImport.result { () throws(ImportError) in
                try JSONImport(bytes, options).models(Element.self, in: context, policy)
            }
        }
        self = try result.get()
    }

    /// The models as a JSON array of objects in UTF-8, with sorted keys.
    ///
    /// - Parameter context: How models are written there.
    /// - Returns: The text, without a line break at its end.
    /// - Throws: An `ImportError` with the path of everything that JSON cannot say, such as a number
    ///   that is not finite.
    public func jsonData(in context: ValueTransformerContext = .default) throws(ImportError) -> Data
    {
        var writer = JSONWriter(isPretty: false)
        var traversal = Traversal(in: context.registry)
        if case .written = writer.write(self, in: &traversal) { return writer.data() }
        traversal = Traversal(in: context.registry)
        let elements = map { AttributeValue.dictionary($0.dictionaryValue(in: &traversal) ?? [:]) }
        if traversal.isCut { throw .tooDeep }
        return try AttributeValue.array(elements).jsonData()
    }
}

extension ImportError {
    fileprivate static var tooDeep: ImportError {
        let reason = "it is nested deeper than \(JSONWriter.depthLimit) levels"
        let message = "cannot be written as JSON: \(reason)"
        return ImportError(issues: [Issue(code: "json", message: message)])
    }
}
