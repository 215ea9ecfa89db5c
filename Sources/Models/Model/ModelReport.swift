public import ModelKitFields

/// What the check of a model found against its fields.
///
/// ```swift
/// func check(_ report: inout ModelReport) {
///     report.require(end, "must not be before the start") {
///         guard let start = start.value, let end = end.value else { return true }
///         return start <= end
///     }
/// }
/// ```
public struct ModelReport: Sendable {
    private let model: any Model
    /// What was found, each issue with its path in the model.
    public private(set) var issues: [Issue] = []
    /// Which field each issue belongs to; nil for the model as a whole.
    private var fields: [AnyField?] = []
    /// Whether the check that models have of themselves was called.
    var isDefault = false
    /// Whether something was asked for.
    private var isAsked = false

    package init<M: Model>(of model: M) {
        self.model = model
    }

    /// Whether the model has no check of its own, which may call that of its superclass.
    package var isUnchecked: Bool { isDefault && !isAsked }

    /// Reports an issue of a field, unless a condition holds.
    ///
    /// - Parameters:
    ///   - field: The field that gets the issue.
    ///   - message: What is wrong with it, as the end of a sentence.
    ///   - code: The stable name of the condition.
    ///   - condition: What has to hold.
    public mutating func require(
        _ field: AnyField,
        _ message: String,
        code: String = "custom",
        _ condition: () -> Bool
    ) {
        isAsked = true
        if condition() { return }
        let entry = model.firstEntry { $0.field(in: model) === field }
        // The model as a whole is given what is said of a field that is none of its own.
        add(
            Issue(code: code, path: entry?.path ?? [], message: message),
            at: entry.map { _ in field }
        )
    }

    /// Reports an issue of the model as a whole, unless a condition holds.
    public mutating func require(
        _ message: String,
        code: String = "custom",
        _ condition: () -> Bool
    ) {
        isAsked = true
        if !condition() { add(Issue(code: code, message: message), at: nil) }
    }

    private mutating func add(_ issue: Issue, at field: AnyField?) {
        issues.append(issue)
        fields.append(field)
    }

    /// The issues of a field, as the field itself keeps them: without its own path.
    package func issues(of field: AnyField) -> [Issue] {
        if issues.isEmpty { return [] }
        return zip(issues, fields).compactMap { issue, other in
            guard other === field else { return nil }
            var issue = issue
            issue.path = []
            return issue
        }
    }

    /// The issues of no field of the model.
    package var general: [Issue] {
        zip(issues, fields).compactMap { issue, field in
            field == nil ? issue : nil
        }
    }
}
