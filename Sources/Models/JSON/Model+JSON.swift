public import ModelKitFields

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Model {
    /// Makes a model of a JSON object.
    ///
    /// - Parameter json: The object, in UTF-8.
    /// - Throws: An `ImportError` that names the place where the text is not JSON, or every value that
    ///   does not fit its field.
    public init(json: Data) throws(ImportError) {
        guard case .dictionary(let dictionary) = try AttributeValue(json: json) else {
            throw ImportError(issues: [Issue(code: "type", message: "must be a JSON object")])
        }
        try self.init(dictionaryValue: dictionary)
    }

    /// The model as a JSON object in UTF-8, with sorted keys.
    ///
    /// - Throws: An `ImportError` if a number is not finite, which JSON cannot say.
    public func jsonData() throws(ImportError) -> Data {
        try AttributeValue.dictionary(dictionaryValue()).jsonData()
    }
}

extension Array where Element: Model {
    /// Makes models of a JSON array of objects.
    ///
    /// - Parameter json: The array, in UTF-8.
    /// - Throws: An `ImportError` with everything that is wrong in any of them.
    public init(json: Data) throws(ImportError) {
        let value = try AttributeValue(json: json)
        guard case .array(let elements) = value else {
            throw ImportError(issues: [.wrongType(value, expected: "an array")])
        }
        var issues: [Issue] = []
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard case .dictionary(let dictionary) = element else {
                issues.append(.wrongType(element, expected: "a dictionary", at: [.index(index)]))
                continue
            }
            let model = Element()
            model.read(dictionary, at: [.index(index)], into: &issues)
            append(model)
        }
        if !issues.isEmpty { throw ImportError(issues: issues) }
    }

    /// The models as a JSON array of objects in UTF-8, with sorted keys.
    public func jsonData() throws(ImportError) -> Data {
        try AttributeValue.array(map { .dictionary($0.dictionaryValue()) }).jsonData()
    }
}

extension AttributeValue {
    /// The value of a JSON text: any, not only an object.
    ///
    /// - Parameter json: The text, in UTF-8.
    /// - Throws: An `ImportError` that says where the text is not JSON.
    public init(json: Data) throws(ImportError) {
        do {
            self = try JSONDecoder().decode(AttributeValue.self, from: json)
        } catch {
            throw ImportError(issues: [Issue(code: "json", message: "is not JSON: \(error.reason)")]
            )
        }
    }

    /// The value as JSON text in UTF-8.
    ///
    /// Keys are sorted, so equal values give equal texts. Dates become texts of RFC 3339, data
    /// Base64.
    ///
    /// - Parameter isPretty: Whether the text is laid out for people.
    /// - Throws: An `ImportError` if a number is not finite, which JSON cannot say.
    public func jsonData(isPretty: Bool = false) throws(ImportError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return try encoder.encode(self)
        } catch {
            throw ImportError(
                issues: [Issue(code: "json", message: "cannot be written as JSON: \(error.reason)")]
            )
        }
    }
}

extension Error {
    /// What a coder of Foundation says, with the place in the text where it says one.
    fileprivate var reason: String {
        let context: DecodingError.Context? =
            switch self as? DecodingError {
            case .dataCorrupted(let context)?, .typeMismatch(_, let context)?,
                .valueNotFound(_, let context)?, .keyNotFound(_, let context)?:
                context
            default: nil
            }
        if let context {
            // Its text names the line and the column.
            let detail = (context.underlyingError as? CocoaError)?.userInfo["NSDebugDescription"]
            return detail as? String ?? context.debugDescription
        }
        if case .invalidValue(_, let context)? = self as? EncodingError {
            return context.debugDescription
        }
        return "\(self)"
    }
}
