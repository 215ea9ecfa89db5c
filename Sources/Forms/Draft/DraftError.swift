public import ModelKitValues

/// Why a draft was not committed: everything, not only the first.
///
/// ```swift
/// do {
///     try draft.commit()
/// } catch where !error.conflicts.isEmpty {
///     askWhoseToTake(error.conflicts)
/// } catch {
///     show(error.issues)
/// }
/// ```
public struct DraftError: IssuesError, Hashable, Sendable {
    /// What speaks against it, warnings too, in the order of the fields or checks.
    public let issues: [Issue]

    public init(issues: [Issue]) {
        self.issues = issues
    }

    /// The paths of the changed fields that somebody else has changed meanwhile; none where the
    /// values are invalid.
    public var conflicts: [FieldPath] {
        issues.filter { $0.code == "conflict" }.map(\.path)
    }

    static func unanswered(_ path: FieldPath) -> Issue {
        Issue(code: "unanswered", path: path, message: "is still being checked")
    }

    static func standIn(_ path: FieldPath) -> Issue {
        let message =
            "is edited by another draft in place of a model, which is to be put here itself"
        return Issue(code: "standIn", path: path, message: message)
    }

    static func conflict(_ path: FieldPath) -> Issue {
        Issue(code: "conflict", path: path, message: "was changed meanwhile")
    }
}
