public import ModelKitFields

/// What was wrong with a dictionary or a text that a model was to be made of: everything, not only
/// the first.
///
/// ```swift
/// do {
///     _ = try Person(dictionaryValue: ["name": 3, "tags": ["a", nil]])
/// } catch {
///     error.issues.map(\.description)
///     // ["name must be a string, not an integer", "tags[1] must not be null"]
/// }
/// ```
public struct ImportError: IssuesError, Hashable, Sendable {
    /// What was wrong, in the order of the fields; at least one.
    public let issues: [Issue]

    /// Where in a JSON text that is, for each issue; nil where it was no text.
    public let places: [JSONPlace?]

    public init(issues: [Issue]) {
        self.init(issues: issues, places: [])
    }

    init(issues: [Issue], places: [JSONPlace]) {
        self.issues = issues
        self.places = places.isEmpty ? issues.map { _ in nil } : places
    }

    /// Whether the issues are the same, wherever they were found.
    public static func == (left: ImportError, right: ImportError) -> Bool {
        left.issues == right.issues
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(issues) }
}
