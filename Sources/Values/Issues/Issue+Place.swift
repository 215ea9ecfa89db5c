extension Issue {
    /// An attribute value of another kind than the field takes.
    @usableFromInline
    package static func wrongType(
        _ value: AttributeValue,
        expected: String?,
        at path: FieldPath = []
    ) -> Issue {
        Issue(
            code: "type",
            path: path,
            message: expected.map { "must be \($0), not \(value.kind)" }
                ?? "must not be \(value.kind)",
            parameters: ["found": .string(value.kind)]
        )
    }

    /// The same issue with its path below another.
    @usableFromInline
    package func prefixed(by path: FieldPath) -> Issue {
        if path.isEmpty { return self }
        var issue = self
        issue.path = path.appending(self.path)
        // Which one of several it is, no name says.
        if case .index? = path.components.last { issue.label = label.map { "\(path).\($0)" } }
        return issue
    }

    /// The same issue of a field of a model, with the field's name if it has one; an issue of a field of a
    /// model in it has that one's.
    package func prefixed(by path: FieldPath, of name: String?, holdsModels: Bool) -> Issue {
        var issue = prefixed(by: path)
        guard let name, label == nil else { return issue }
        let leadsOn = self.path.components.contains { if case .key = $0 { true } else { false } }
        if holdsModels && leadsOn { return issue }
        issue.label = FieldPath(key: name).appending(self.path).description
        return issue
    }
}
