public import ModelKitValues

extension Draft {
    /// What checks find against the value, in their order, warnings too.
    ///
    /// ```swift
    /// draft.validationIssues([.value(\.name, "name", .notBlank)])
    /// draft.validationIssues(User.validation.checks)
    /// ```
    ///
    /// - Parameter checks: The checks; as for a ``Partial``, only that here no property is unset.
    /// - Returns: The issues, each with the name of its check as path.
    public func validationIssues(_ checks: [Partial<Root>.Check]) -> [Issue] {
        Partial<Root>.Findings(running: checks, on: .whole(value)).issues
    }

    /// What the checks find that are about a property which differs from the base.
    ///
    /// So what was wrong before, and was left as it is, does not keep anybody from changing something
    /// else. A check of several properties is asked if one of them differs, and nothing is wrong with
    /// any of them; with no change nothing is asked.
    public func changeIssues(_ checks: [Partial<Root>.Check]) -> [Issue] {
        Partial<Root>.Findings(
            running: checks,
            on: .whole(value),
            // What cannot be compared may have been changed inside.
            where: {
                $0.keyPaths.contains {
                    PropertyKey(keyPath: $0).differs(base, value) ?? isDirty
                }
            }
        ).issues
    }

    /// Whether the value passes checks, and what is wrong with it.
    public func validate(_ checks: [Partial<Root>.Check]) -> ValidationState {
        ValidationState(issues: validationIssues(checks))
    }

    /// Whether what differs from the base passes the checks about it.
    public func validateChanges(_ checks: [Partial<Root>.Check]) -> ValidationState {
        ValidationState(issues: changeIssues(checks))
    }

    /// Makes the value the new base if it passes checks.
    ///
    /// - Returns: The value.
    /// - Throws: A `DraftError` with all issues; the draft then stays as it is. Warnings alone do not
    ///   keep it.
    @discardableResult
    public mutating func commit(_ checks: [Partial<Root>.Check]) throws(DraftError) -> Root {
        let issues = validationIssues(checks)
        if issues.isBlocking { throw DraftError(issues: issues) }
        return commit()
    }
}

extension Diagnostic.Code {
    /// A draft was given a key path into an object, and did not set what others would have seen.
    public static let draftOfObject = Diagnostic.Code(rawValue: "draftOfObject")
}
