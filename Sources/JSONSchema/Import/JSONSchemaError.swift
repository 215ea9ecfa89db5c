public import ModelKitValues

/// Why a JSON Schema is no rule: everything that is wrong with it, or cannot be done, and where.
///
/// ```swift
/// do {
///     _ = try Rule(jsonSchema: ["properties": ["name": ["pattern": "(?=a)"]]])
/// } catch {
///     error.issues.map(\.path.jsonPointer)   // ["/properties/name/pattern"]
/// }
/// ```
public struct JSONSchemaError: IssuesError, Hashable, Sendable {
    /// What is wrong, each with its path in the schema, and a code: "schema" for what is no schema,
    /// "reference" for a `$ref` that leads nowhere or into itself, "pattern" for a regular expression
    /// that is refused, "unsupported" for what is right and not done here, "json" for what is no JSON.
    public let issues: [Issue]

    /// The issues by their JSON Pointers, separated by semicolons.
    public var description: String {
        issues.map { "#\($0.path.jsonPointer) \($0.message)" }.joined(separator: "; ")
    }
}
