import ModelKitFields

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
    /// - Throws: An `ImportError` with the path of everything that JSON cannot say, such as a number
    ///   that is not finite.
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
            append(Element.make(of: dictionary, at: [.index(index)], into: &issues))
        }
        if !issues.isEmpty { throw ImportError(issues: issues) }
    }

    /// The models as a JSON array of objects in UTF-8, with sorted keys.
    ///
    /// - Throws: An `ImportError` with the path of everything that JSON cannot say, such as a number
    ///   that is not finite.
    public func jsonData() throws(ImportError) -> Data {
        try AttributeValue.array(map { .dictionary($0.dictionaryValue()) }).jsonData()
    }
}
