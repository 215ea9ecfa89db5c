/// Reads the query of a URL.
///
/// ```swift
/// let decoder = ParameterDecoder()
/// try decoder.parameters(of: "filter[age]=36&tag=red&tag=b+c")
/// ```
///
/// Brackets may be percent-encoded or not, and a `+` is a space, as in what browsers send. A query that
/// goes beyond a limit, or is not percent-encoded as it has to be, is an error. What stands between two `&`
/// may be nothing.
public struct ParameterDecoder: Hashable, Sendable {
    /// How many parameters there may be.
    public var count: Int
    /// How many bytes the query may have.
    public var length: Int

    public init(
        count: Int = 1_000,
        length: Int = 1 << 16
    ) {
        self.count = count
        self.length = length
    }

    /// The parameters of a query as they stand there.
    ///
    /// - Parameter query: What comes after the `?`.
    /// - Returns: The parameters, in their order.
    /// - Throws: A `ParameterError`, for a query that goes beyond a limit or is not percent-encoded.
    public func parameters(of query: String) throws(ParameterError) -> QueryParameters {
        guard query.utf8.count <= length else {
            throw ParameterError(.tooLong(limit: length), name: "")
        }
        var parameters: [QueryParameters.Parameter] = []
        for part in Array(query.utf8).split(separator: UInt8(ascii: "&")) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let written = part[..<end]
            let name = try text(of: written, named: String(decoding: written, as: UTF8.self))
            if name.isEmpty { throw ParameterError(.name, name: "") }
            if parameters.count == count {
                throw ParameterError(.tooMany(limit: count), name: name)
            }
            let value = try text(of: part[end...].dropFirst(), named: name)
            parameters.append(.init(name: name, value: value))
        }
        return QueryParameters(parameters)
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
}

extension UInt8 {
    /// Whether a query may have it as it is: also what only some programs encode, such as brackets.
    fileprivate var isOfQuery: Bool { 0x21...0x7E ~= self && self != UInt8(ascii: "#") }
}
