public import ModelKitFields

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// JSON as a text; as bytes it is `Data`, and `Data(bytes)` of an array of them.

extension Model {
    /// Makes a model of a JSON object in a text, as `init(json:)` of data does.
    public init(
        json text: String,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions()
    ) throws(ImportError) {
        try self.init(json: Data(text.utf8), in: context, policy: policy, options: options)
    }

    /// Sets the fields whose keys a JSON object in a text has, as `read(json:)` of data does.
    public func read(
        json text: String,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions()
    ) throws(ImportError) {
        try read(json: Data(text.utf8), in: context, policy: policy, options: options)
    }

    /// The model as a JSON object in a text, as `jsonData` has it in bytes.
    public func jsonString(
        fields: [AnyField]? = nil,
        in context: ValueTransformerContext = .default,
        isPretty: Bool = false
    ) throws(ImportError) -> String {
        String(
            decoding: try jsonData(fields: fields, in: context, isPretty: isPretty),
            as: UTF8.self
        )
    }
}

extension Array where Element: Model {
    /// Makes models of a JSON array of objects in a text, as `init(json:)` of data does.
    public init(
        json text: String,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions()
    ) throws(ImportError) {
        try self.init(json: Data(text.utf8), in: context, policy: policy, options: options)
    }

    /// The models as a JSON array of objects in a text, as `jsonData` has it in bytes.
    public func jsonString(
        in context: ValueTransformerContext = .default,
        isPretty: Bool = false
    ) throws(ImportError) -> String {
        String(decoding: try jsonData(in: context, isPretty: isPretty), as: UTF8.self)
    }
}
