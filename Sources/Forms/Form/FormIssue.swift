public import ModelKitFields
import ModelKitModels

/// One thing that is wrong in a form, as it is shown to people.
///
/// ```swift
/// for issue in form.issues { print(issue) }   // Name is required
/// form.firstInvalid?.field                    // where to put the cursor
/// ```
public struct FormIssue: Sendable {
    /// What is wrong, with the path of its field in the form.
    public let issue: Issue

    /// The field that it is about; nil if it is about a part or the form as a whole.
    public let field: AnyField?

    /// What people call the field: its name, or else the last key of its path, with what leads on
    /// from there: "Tags[1]".
    ///
    /// Nil without a field.
    public let label: String?

    /// Whether others than rules have said it.
    var isSaid: Bool

    init(_ issue: Issue, of place: FieldPlace?, isSaid: Bool) {
        self.isSaid = isSaid
        field = place?.field
        let label = place.map { place in
            let keys = place.path.components.compactMap { component in
                if case .key(let key) = component { key } else { nil }
            }
            let name = place.field.name ?? keys.last ?? place.path.description
            return FieldPath(key: name).appending(place.rest).description
        }
        self.label = label
        var issue = issue
        if place?.field.name != nil { issue.label = label }
        self.issue = issue
    }

    /// Where it is, seen from the form.
    public var path: FieldPath { issue.path }
}

extension FormIssue: CustomStringConvertible {
    /// The label and the message: a sentence without its full stop.
    public var description: String { label.map { "\($0) \(issue.message)" } ?? issue.description }
}
