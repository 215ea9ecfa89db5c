extension Rule {
    /// The rule with another message.
    ///
    /// Issues that say the same of the same place become one.
    ///
    /// `{min}`, `{max}` and the like are what the issue has as its parameter of that name, or the
    /// rule as its only bound; `{{` is a brace, and a name that neither knows stays as it is.
    ///
    /// ```swift
    /// let nick: Rule<String> = .length(3...20).message("needs {min} to {max} characters")
    /// ```
    public func message(_ message: String) -> Rule {
        let template = MessageTemplate(message, bounds: core.constraint)
        return rewriting { $0.say(template) }
    }

    /// The rule with another code.
    public func code(_ code: String) -> Rule {
        rewriting { $0.set(\.code, to: code) }
    }

    /// The rule, all its issues with one severity.
    ///
    /// Below `.error` it blocks nothing, and so its constraint demands nothing. Warnings that become
    /// errors are in the constraint as something that only the code knows.
    ///
    /// ```swift
    /// let password: Rule<String> = .minLength(8) && .minLength(12).severity(.warning)
    /// ```
    public func severity(_ severity: Issue.Severity) -> Rule {
        let isError = severity == .error
        if isError && !core.canWarn { return self }
        return Rule(
            constraint: isError ? Constraint(all: [constraint, .opaque]) : .all([]),
            canWarn: !isError
        ) { [core] value, asking, issues in
            if asking == .verdict && !isError { return true }
            var found: [Issue] = []
            _ = core.body(value, asking == .failure ? asking : .everything, &found)
            if found.isEmpty { return true }
            found.set(\.severity, to: severity)
            if asking != .verdict { issues += found }
            return !isError
        }
    }

    /// The rule, but after its first error nothing else is asked or reported.
    ///
    /// Warnings before it stay.
    ///
    /// ```swift
    /// let pin: Rule<String> = (.required && .length(4) && .digits).stopAtFirst
    /// ```
    public var stopAtFirst: Rule {
        rewriting(asking: .firstError) { found in
            if let first = found.firstIndex(where: { $0.severity == .error }) {
                found.removeSubrange((first + 1)...)
            }
        }
    }

    /// The rule, its issues changed if there are any.
    private func rewriting(
        asking instead: RuleQuestion? = nil,
        _ change: @escaping @Sendable (inout [Issue]) -> Void
    ) -> Rule {
        Rule(constraint: constraint, canWarn: core.canWarn) { [core] value, asking, issues in
            if asking == .verdict { return core.body(value, asking, &issues) }
            let start = issues.count
            let passes = core.body(value, asking == .failure ? asking : instead ?? asking, &issues)
            issues.change(from: start, change)
            return passes
        }
    }
}

extension [Issue] {
    /// Gives all the same message; those that then say the same of the same place become one.
    mutating func say(_ template: MessageTemplate) {
        var said: Set<[FieldPath: Issue.Severity]> = []
        removeAll { !said.insert([$0.path: $0.severity]).inserted }
        for index in indices { self[index].say(template) }
    }

    /// Gives all the same part.
    mutating func set<Part>(_ part: WritableKeyPath<Issue, Part>, to value: Part) {
        for index in indices { self[index][keyPath: part] = value }
    }

    /// Changes those from an index on, if there are any.
    mutating func change(from start: Int, _ change: (inout [Issue]) -> Void) {
        if count == start { return }
        var found = Array(self[start...])
        change(&found)
        replaceSubrange(start..., with: found)
    }
}
