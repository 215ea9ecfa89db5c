public import ModelKitFields

extension Model {
    /// Validates the model by `check` and every field by its rules.
    ///
    /// Each field keeps what concerns it. Models in fields are validated where the field says
    /// `requireValid()`.
    ///
    /// - Returns: `.valid`, or the messages, each with the path of its field.
    @discardableResult
    public func validate() -> ValidationState {
        ValidationState(issues: validationIssues())
    }

    /// Validates like `validate()`, and gives what was found with paths and codes, warnings too.
    public func validationIssues() -> [Issue] {
        let path = ValidationPath.models
        if path.isEmpty { return nestedIssues() }
        var report = ModelReport(of: self)
        check(&report)
        var issues: [Issue] = []
        for entry in Self.schema.fields {
            let field = entry.field(in: self)
            for issue in field.validate(adding: report.issues(of: field)) {
                issues.append(issue.prefixed(by: entry.path))
            }
        }
        return issues + report.general
    }

    /// What is wrong with a model inside of another; nothing inside of itself, so that a cycle ends.
    func nestedIssues() -> [Issue] {
        let identity = ObjectIdentifier(self)
        let path = ValidationPath.models
        if path.contains(identity) { return [] }
        return ValidationPath.$models.withValue(path + [identity]) { validationIssues() }
    }
}

/// The models that a validation is inside of.
private enum ValidationPath {
    @TaskLocal static var models: [ObjectIdentifier] = []
}
