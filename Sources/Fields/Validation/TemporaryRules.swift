public struct Issue: Hashable, Sendable, Error, CustomStringConvertible {
    public enum Severity: Int, Sendable { case info, warning, error }
    public var code: String; public var path: FieldPath; public var message: String
    public var parameters: [String: AttributeValue]; public var severity: Severity
    public init(
        code: String,
        path: FieldPath = [],
        message: String,
        parameters: [String: AttributeValue] = [:],
        severity: Severity = .error
    ) {
        self.code = code; self.path = path; self.message = message; self.parameters = parameters;
        self.severity = severity
    }
    public var description: String { path.isEmpty ? message : "\(path) \(message)" }
}
public enum ValidationState: Hashable, Sendable { case unknown, invalid([String]), valid }
public struct Rule<Value: Sendable>: Sendable {
    let body: @Sendable (Value?, FieldPath, inout [Issue]) -> Void
    public init(_ body: @escaping @Sendable (Value?, FieldPath, inout [Issue]) -> Void) {
        self.body = body
    }
    public init(
        _ message: String = "is invalid",
        allowNil: Bool = true,
        _ test: @escaping @Sendable (Value) -> Bool
    ) {
        body = { v, p, i in
            if let v {
                if !test(v) { i.append(Issue(code: "custom", path: p, message: message)) }
            } else if !allowNil {
                i.append(Issue(code: "required", path: p, message: "is required"))
            }
        }
    }
    public func check(_ value: Value?, at path: FieldPath, into issues: inout [Issue]) {
        body(value, path, &issues)
    }
}
