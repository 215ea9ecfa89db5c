public import ModelKitFields

/// Reads the query of a URL.
///
/// ```swift
/// let decoder = ParameterDecoder()
/// try decoder.decodeParameters("filter[age]=36&tags%5B0%5D=red")
/// // ["filter": ["age": "36"], "tags": ["red"]]
/// ```
///
/// It reads what `ParameterEncoder` writes, with the same `arrays`, where all values are texts. Brackets
/// may be percent-encoded or not, and a `+` is a space, as in what browsers send. A query that
/// goes beyond a limit, or is not percent-encoded as it has to be, is an error. What stands between two `&`
/// may be nothing.
public struct ParameterDecoder: Hashable, Sendable {
    public var arrays: ParameterArrays
    /// What text is null; nil for none.
    public var nullString: String?
    /// How many parameters there may be.
    public var count: Int
    /// How many names may be inside of each other: `filter[age]` has two.
    public var depth: Int
    /// How many bytes the query may have.
    public var length: Int

    public init(
        arrays: ParameterArrays = .indexed,
        nullString: String? = nil,
        count: Int = 1_000,
        depth: Int = 8,
        length: Int = 1 << 16
    ) {
        self.arrays = arrays
        self.nullString = nullString
        self.count = count
        self.depth = depth
        self.length = length
    }

    /// The parameters of a query as they stand there; `arrays`, `depth` and `nullString` do not count.
    ///
    /// - Parameter query: What comes after the `?`.
    /// - Returns: The parameters, in their order.
    /// - Throws: A `ParameterError`, for a query that goes beyond a limit or is not percent-encoded.
    public func parameters(of query: String) throws(ParameterError) -> QueryParameters {
        QueryParameters(
            try parts(of: query).map { (name, value) throws(ParameterError) in
                QueryParameters.Parameter(
                    name: name,
                    value: try text(of: value, named: name)
                )
            }
        )
    }

    /// The parameters of a query as they are inside of each other.
    ///
    /// With `arrays` as `.indexed`, a dictionary is an array if its names are all numbers from 0 on; with
    /// `.repeated` and `.commas`, an array of one element is that element. A name that comes
    /// several times where it means no array is an error, and so is one with a value and others inside of it.
    ///
    /// - Parameter query: What comes after the `?`.
    /// - Returns: The parameters by their outermost names.
    /// - Throws: A `ParameterError`, which names the parameter.
    public func decodeParameters(_ query: String) throws(ParameterError) -> AttributeDictionary {
        var root = ParameterNode()
        for (name, value) in try parts(of: query) {
            let names = try names(of: name)
            var values: [AttributeValue] = []
            let elements =
                arrays == .commas
                ? value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                : [value]
            for element in elements {
                let text = try text(of: element, named: name)
                values.append(text == nullString ? .null : .string(text))
            }
            let leaf = values.count == 1 ? values[0] : AttributeValue.array(values)
            root.insert(leaf, at: names[...])
        }
        var values: AttributeDictionary = [:]
        for (name, node) in root.inner { values[name] = try node.value(arrays, named: name) }
        return values
    }

    /// The names, decoded, and what is after their `=`.
    private func parts(
        of query: String
    ) throws(ParameterError) -> [(name: String, value: ArraySlice<UInt8>)] {
        guard query.utf8.count <= length else {
            throw ParameterError(.tooLong(limit: length), name: "")
        }
        var parts: [(name: String, value: ArraySlice<UInt8>)] = []
        for part in Array(query.utf8).split(separator: UInt8(ascii: "&")) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let written = part[..<end]
            let name = try text(of: written, named: String(decoding: written, as: UTF8.self))
            if name.isEmpty { throw ParameterError(.name, name: "") }
            if parts.count == count { throw ParameterError(.tooMany(limit: count), name: name) }
            parts.append((name, part[end...].dropFirst()))
        }
        return parts
    }

    private func text(
        of bytes: ArraySlice<UInt8>,
        named name: String
    ) throws(ParameterError) -> String {
        guard
            let decoded = PercentEncoding.decode(bytes, plusIsSpace: true, where: \.isOfQuery),
            let text = String(validating: decoded, as: UTF8.self)
        else { throw ParameterError(.notEncoded, name: name) }
        return text
    }

    /// `filter`, `age` of `filter[age]`.
    private func names(of name: String) throws(ParameterError) -> [String] {
        let bytes = Array(name.utf8)
        let start = bytes.firstIndex(where: \.isBracket) ?? bytes.endIndex
        var names = [String(decoding: bytes[..<start], as: UTF8.self)]
        var rest = bytes[start...]
        while let first = rest.first {
            let inner = rest.dropFirst().prefix { !$0.isBracket }
            guard first == UInt8(ascii: "["), inner.endIndex < rest.endIndex,
                rest[inner.endIndex] == UInt8(ascii: "]")
            else { throw ParameterError(.name, name: name) }
            names.append(String(decoding: inner, as: UTF8.self))
            if names.count > depth { throw ParameterError(.tooDeep(limit: depth), name: name) }
            rest = rest[inner.endIndex...].dropFirst()
        }
        // Only the last one may be empty, where that means an array.
        let named = arrays == .bracketed && names.count > 1 ? names.dropLast() : names[...]
        if named.contains("") { throw ParameterError(.name, name: name) }
        return names
    }
}

extension UInt8 {
    /// Whether a query may have it as it is: also what only some programs encode, such as brackets.
    fileprivate var isOfQuery: Bool { 0x21...0x7E ~= self && self != UInt8(ascii: "#") }
}
