public import ModelKitEssentials

/// What is wrong with a parameter.
///
/// ```swift
/// do {
///     _ = try ParameterDecoder().parameters(of: "age=%zz")
/// } catch {
///     print(error)   // age: is not percent-encoded UTF-8
/// }
/// ```
public struct ParameterError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// There are more parameters than that.
        case tooMany(limit: Int)
        /// The query has more bytes than that.
        case tooLong(limit: Int)
        /// More names than that are inside of each other.
        case tooDeep(limit: Int)
        /// An escape is none, the bytes are no UTF-8, or a character has to be encoded.
        case notEncoded
        /// The name is empty.
        case name
        /// The value is none that a parameter can have, which is said why.
        case value(String)
    }

    /// The parameter, as `filter[name]`; empty if it is about the query.
    public let name: String
    public let reason: Reason

    public init(_ reason: Reason, name: String) {
        self.name = name
        self.reason = reason
    }
}

extension ParameterError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    public var description: String {
        let problem =
            switch reason {
            case .tooMany(let limit): "there may be \(limit) parameters"
            case .tooLong(let limit): "the query may have \(limit) bytes"
            case .tooDeep(let limit): "\(limit) names may be inside of each other"
            case .notEncoded: "is not percent-encoded UTF-8"
            case .name: "is no name of a parameter"
            case .value(let problem): problem
            }
        return name.isEmpty ? problem : "\(name): \(problem)"
    }
}
