public import ModelKitFields
import ModelKitEssentials

/// How the elements of an array are parameters.
///
/// ```swift
/// try ParameterEncoder(arrays: .repeated).encodeParameters(["tag": ["a", "b"]])   // "tag=a&tag=b"
/// ```
public enum ParameterArrays: Hashable, Sendable, CaseIterable {
    /// `tags[0]=a&tags[1]=b`
    case indexed
    /// `tags[]=a&tags[]=b`
    case bracketed
    /// `tags=a&tags=b`
    case repeated
    /// `tags=a,b`
    case commas
}

/// Writes parameters as the query of a URL.
///
/// ```swift
/// let encoder = ParameterEncoder(escapesBrackets: false)
/// try encoder.encodeParameters(["query": "New York", "filter": ["age": 36, "name": nil]])
/// // "filter[age]=36&query=New%20York"
/// ```
///
/// Names are sorted by their bytes, so equal parameters give equal texts. All but unreserved characters is
/// percent-encoded (RFC 3986, 2.3), the brackets of names too, as servers may refuse them
/// otherwise and Foundation's `URL` encodes the `%` of a text with such brackets again. An empty array or
/// dictionary leaves nothing behind. Dates are as in RFC 3339, data is Base64.
public struct ParameterEncoder: Hashable, Sendable {
    public var arrays: ParameterArrays
    /// Whether nulls are there; if not, an array is without them.
    public var includeNullValues: Bool
    /// What a null is, if it is there.
    public var nullString: String
    /// Whether `filter[name]` is `filter%5Bname%5D`, which means the same.
    public var escapesBrackets: Bool

    public init(
        arrays: ParameterArrays = .indexed,
        includeNullValues: Bool = false,
        nullString: String = "",
        escapesBrackets: Bool = true
    ) {
        self.arrays = arrays
        self.includeNullValues = includeNullValues
        self.nullString = nullString
        self.escapesBrackets = escapesBrackets
    }

    /// The parameters, without a `?` before them.
    ///
    /// It fails for a name that is empty or has brackets itself, for what is nested deeper than 64 arrays and
    /// dictionaries, for a number that is not finite, for a date that is too far away, and, unless
    /// `arrays` is `.indexed`, for arrays and dictionaries in an array.
    public func encodeParameters(
        _ parameters: AttributeDictionary
    ) throws(ParameterError) -> String {
        var writer = ParameterWriter(style: self)
        try writer.write(parameters, in: nil)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// A name of a parameter: as people read it, and as it is written.
private struct ParameterName {
    var text = ""
    var bytes: [UInt8] = []
    var depth = 0
}

private struct ParameterWriter {
    let style: ParameterEncoder
    var bytes: [UInt8] = []

    mutating func write(
        _ values: AttributeDictionary,
        in name: ParameterName?
    ) throws(ParameterError) {
        let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (key, value) in sorted {
            let inner = self.name(key, in: name)
            guard !key.isEmpty, !key.utf8.contains(where: \.isBracket) else {
                throw ParameterError(.name, name: inner.text)
            }
            try write(value, inner)
        }
    }

    private mutating func write(
        _ value: AttributeValue,
        _ name: ParameterName
    ) throws(ParameterError) {
        guard name.depth <= 64 else { throw ParameterError(.tooDeep(limit: 64), name: name.text) }
        switch value {
        case .dictionary(let values): try write(values, in: name)
        case .array(let values):
            let values = style.includeNullValues ? values : values.filter { !$0.isNull }
            try write(values, name)
        default:
            guard let text = try text(of: value, name) else { return }
            begin(name)
            PercentEncoding.append(text, to: &bytes)
        }
    }

    private mutating func write(
        _ values: [AttributeValue],
        _ name: ParameterName
    ) throws(ParameterError) {
        if style.arrays == .indexed {
            for (index, value) in values.enumerated() {
                try write(value, self.name(String(index), in: name))
            }
            return
        }
        let element = style.arrays == .bracketed ? self.name("", in: name) : name
        for (index, value) in values.enumerated() {
            let text = try text(of: value, element) ?? ""
            if index == 0 || style.arrays != .commas {
                begin(element)
            } else {
                bytes.append(UInt8(ascii: ","))
            }
            PercentEncoding.append(text, to: &bytes)
        }
    }

    private mutating func begin(_ name: ParameterName) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += name.bytes
        bytes.append(UInt8(ascii: "="))
    }

    private func name(_ key: String, in outer: ParameterName?) -> ParameterName {
        var name = outer ?? ParameterName()
        name.depth += 1
        name.text += outer == nil ? key : "[\(key)]"
        if outer != nil { name.bytes += (style.escapesBrackets ? "%5B" : "[").utf8 }
        PercentEncoding.append(key, to: &name.bytes)
        if outer != nil { name.bytes += (style.escapesBrackets ? "%5D" : "]").utf8 }
        return name
    }

    /// The text of a value; nil for a null that is not there.
    private func text(
        of value: AttributeValue,
        _ name: ParameterName
    ) throws(ParameterError) -> String? {
        switch value {
        case .null: return style.includeNullValues ? style.nullString : nil
        case .double(let value) where !value.isFinite:
            throw ParameterError(.value("is not finite"), name: name.text)
        case .array, .dictionary:
            throw ParameterError(.value("is in an array, and no single value"), name: name.text)
        default:
            if let text = value.plainText { return text }
            throw ParameterError(.value("is a date that is too far away"), name: name.text)
        }
    }
}

extension UInt8 {
    /// Whether it is a bracket of names.
    var isBracket: Bool { self == UInt8(ascii: "[") || self == UInt8(ascii: "]") }
}

extension AttributeValue {
    /// What a parameter has of it; nil for a date that is too far away, and for what is no single value.
    var plainText: String? {
        switch self {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): value.description
        case .string(let value): value
        case .date(let value): Timestamp.text(of: value)
        case .data(let value): value.base64EncodedString()
        case .array, .dictionary: nil
        }
    }
}
