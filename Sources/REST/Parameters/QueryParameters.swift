/// The parameters of a query: in their order, each as often as it comes.
///
/// ```swift
/// let parameters = try ParameterDecoder().parameters(of: "tag=a&page=2&tag=b+c")
/// parameters["page"]              // "2"
/// parameters.values(of: "tag")    // ["a", "b c"]
/// ```
public struct QueryParameters: Hashable, Sendable {
    /// One parameter.
    ///
    /// ```swift
    /// let parameter = QueryParameters.Parameter(name: "page", value: "2")
    /// ```
    public struct Parameter: Hashable, Sendable {
        /// The name with its brackets, decoded.
        public let name: String
        /// The value, decoded; empty where there is no `=`.
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private let parameters: [Parameter]

    public init(_ parameters: [Parameter]) {
        self.parameters = parameters
    }

    /// The first value of a parameter.
    public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// All values of a parameter.
    public func values(of name: String) -> [String] {
        parameters.filter { $0.name == name }.map(\.value)
    }
}

extension QueryParameters: RandomAccessCollection {
    public var startIndex: Int { parameters.startIndex }
    public var endIndex: Int { parameters.endIndex }
    public subscript(position: Int) -> Parameter { parameters[position] }
}
