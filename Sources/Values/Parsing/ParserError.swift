/// Why what was typed is no value: everything, not only the first.
///
/// ```swift
/// do {
///     age.value = try Parser<String, Int>.integer.parse(text)
/// } catch {
///     error.issues.map(\.code)   // ["integer"]
/// }
/// ```
public struct ParserError: IssuesError, Hashable, Sendable {
    /// What is wrong, in the order in which it was found, with what was only warned of; at least one
    /// is an error.
    public let issues: [Issue]

    package init(issues: [Issue]) {
        self.issues = issues
    }
}
