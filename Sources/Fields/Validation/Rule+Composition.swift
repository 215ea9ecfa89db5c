extension Rule {
    /// A rule that passes if both pass. Both are asked, and both report.
    public static func && (lhs: Rule, rhs: Rule) -> Rule {
        Rule(constraint: Constraint(all: [lhs.constraint, rhs.constraint])) { value, stopping in
            let found = lhs.body(value, stopping)
            if found.isEmpty { return rhs.body(value, stopping) }
            if stopping && found.hasErrors { return found }
            return found + rhs.body(value, stopping)
        }
    }

    /// A rule that passes if one of the two passes. The second is asked only if the first fails;
    /// if that fails too, both report.
    public static func || (lhs: Rule, rhs: Rule) -> Rule {
        Rule(constraint: .any([lhs.constraint, rhs.constraint])) { value, stopping in
            let left = lhs.body(value, stopping)
            if left.isEmpty || !left.hasErrors { return left }
            let right = rhs.body(value, stopping)
            return right.isEmpty || !right.hasErrors ? right : left + right
        }
    }

    /// A rule that passes if the other fails: `.not(rule)`.
    public static prefix func ! (rule: Rule) -> Rule {
        not(rule)
    }

    /// A rule that passes if the other fails. nil passes.
    ///
    /// - Parameters:
    ///   - rule: The rule that has to fail; one that only warns does not fail.
    ///   - message: What is wrong with a value that passes it.
    ///   - code: The same for programs.
    public static func not(
        _ rule: Rule,
        _ message: String = "is not allowed",
        code: String = "not"
    ) -> Rule {
        let failure = [Issue(code: code, message: message)]
        return Rule(constraint: .not(rule.constraint)) { value, _ in
            if value == nil { return [] }
            return rule.body(value, true).hasErrors ? [] : failure
        }
    }

    /// A rule that passes if all pass. All are asked, in order, and all report. Of an empty list
    /// everything passes.
    public static func all(_ rules: [Rule]) -> Rule {
        Rule(constraint: Constraint(all: rules.map(\.constraint))) { value, stopping in
            var issues: [Issue] = []
            for rule in rules {
                let found = rule.body(value, stopping)
                if found.isEmpty { continue }
                issues += found
                if stopping && found.hasErrors { break }
            }
            return issues
        }
    }

    /// A rule that passes if one of them passes. They are asked in order until one does; if none
    /// does, all report. Of an empty list everything passes.
    public static func any(_ rules: [Rule]) -> Rule {
        guard let first = rules.first else { return .all([]) }
        return rules.dropFirst().reduce(first, ||)
    }

    /// The rule with another message. Issues that say the same of the same place become one.
    public func message(_ message: String) -> Rule {
        Rule(constraint: constraint) { value, stopping in
            let found = body(value, stopping)
            if found.isEmpty { return found }
            return found.reduce(into: []) { issues, issue in
                let isSaid = issues.contains {
                    $0.path == issue.path && $0.severity == issue.severity
                }
                if isSaid { return }
                var issue = issue
                issue.message = message
                issues.append(issue)
            }
        }
    }

    /// The rule with another code.
    public func code(_ code: String) -> Rule {
        rewriting { $0.code = code }
    }

    /// The rule with another severity. Below `.error` it blocks nothing, and so demands nothing.
    public func severity(_ severity: Issue.Severity) -> Rule {
        let rule = rewriting { $0.severity = severity }
        return severity == .error ? rule : Rule(constraint: .all([]), body: rule.body)
    }

    private func rewriting(_ change: @escaping @Sendable (inout Issue) -> Void) -> Rule {
        Rule(constraint: constraint) { value, stopping in
            var found = body(value, stopping)
            for index in found.indices { change(&found[index]) }
            return found
        }
    }

    /// The rule, asked only of values that meet a condition; all others pass.
    public func when(_ condition: @escaping @Sendable (Value?) -> Bool) -> Rule {
        Rule(constraint: .opaque) { value, stopping in
            condition(value) ? body(value, stopping) : []
        }
    }

    /// The rule, but after its first error nothing else is asked or reported. Warnings before it
    /// stay.
    ///
    /// ```swift
    /// let username: Rule<String> = (.required && .minLength(3) && .digits).stopAtFirst
    /// ```
    public var stopAtFirst: Rule {
        Rule(constraint: constraint) { value, _ in
            let found = body(value, true)
            guard let first = found.firstIndex(where: { $0.severity == .error }) else {
                return found
            }
            return Array(found[...first])
        }
    }
}

extension Rule {
    /// A rule that asks this one about every element of an array, which stands at its index. A
    /// missing array passes.
    ///
    /// ```swift
    /// let tags = Rule<String>.notBlank.each()
    /// tags.issues(for: ["red", ""]).map(\.description)   // ["[1] cannot be blank"]
    /// ```
    public func each() -> Rule<[Value]> {
        Rule<[Value]>(constraint: .items(constraint)) { values, stopping in
            var issues: [Issue] = []
            guard let values else { return issues }
            for index in values.indices {
                let found = body(values[index], stopping)
                if found.isEmpty { continue }
                issues += found.under([.index(index)])
                if stopping && found.hasErrors { break }
            }
            return issues
        }
    }

    /// A rule that asks this one about a property, which stands at a key. A missing root passes.
    ///
    /// ```swift
    /// struct Address: Sendable { var street: String }
    /// let address = Rule.notBlank.at(\Address.street, "street")
    /// address.issues(for: Address(street: "")).map(\.description)   // ["street cannot be blank"]
    /// ```
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - name: Its key in paths: a key path does not know the name of its property.
    public func at<Root>(
        _ property: any KeyPath<Root, Value> & Sendable,
        _ name: String
    ) -> Rule<Root> {
        reading(name) { $0[keyPath: property] }
    }

    /// A rule that asks this one about an optional property. A missing root passes; a missing
    /// property is nil to the rule.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - name: Its key in paths: a key path does not know the name of its property.
    public func at<Root>(
        _ property: any KeyPath<Root, Value?> & Sendable,
        _ name: String
    ) -> Rule<Root> {
        reading(name) { $0[keyPath: property] }
    }

    private func reading<Root>(
        _ name: String,
        _ property: @escaping @Sendable (Root) -> Value?
    ) -> Rule<Root> {
        Rule<Root>(constraint: .property(name, constraint)) { root, stopping in
            guard let root else { return [] }
            let found = body(property(root), stopping)
            return found.isEmpty ? found : found.under(FieldPath(key: name))
        }
    }
}
