// Rules of several properties of one value. That one property is needed where another is there says
// `Rule.required.at(\.city, "city").when { $0?.zip != nil }`; that at least one is, `||`.

extension Rule {
    /// Several properties go together.
    ///
    /// ```swift
    /// struct Term: Sendable { var start = 0, end = 0 }
    /// let term: Rule<Term> = .together(\.start, \.end, report: "end", "must be after the start") {
    ///     $0 < $1
    /// }
    /// term.issues(for: Term(start: 2, end: 1)).map(\.description)
    /// // ["end must be after the start"]
    /// ```
    ///
    /// nil passes.
    ///
    /// - Parameters:
    ///   - properties: The properties, as many as the condition takes.
    ///   - name: The name of the property that is told.
    ///   - message: What it is told, as the end of a sentence.
    ///   - code: The same for programs.
    ///   - condition: What has to hold. Called on any thread.
    /// - Returns: The rule.
    public static func together<each Part: Sendable>(
        _ properties: repeat any KeyPath<Value, each Part> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (repeat each Part) -> Bool
    ) -> Rule {
        let issue = Issue(code: code, path: FieldPath(key: name), message: message)
        return Rule(issue, constraint: .property(name, .opaque)) { value in
            condition(repeat value[keyPath: each properties])
        }
    }

    /// A property equals another one: "must be the same".
    ///
    /// nil passes.
    ///
    /// - Parameters:
    ///   - property: The property that is told, such as a repeated password.
    ///   - name: Its name.
    ///   - other: The one it has to equal.
    /// - Returns: The rule.
    public static func matches<Part: Equatable & Sendable>(
        _ property: any KeyPath<Value, Part> & Sendable,
        _ name: String,
        _ other: any KeyPath<Value, Part> & Sendable
    ) -> Rule {
        let path = FieldPath(key: name)
        var issue = Issue(standard: "matches", message: "must be the same")
        issue.path = path
        return Rule(issue, constraint: .property(name, .opaque)) {
            $0[keyPath: property] == $0[keyPath: other]
        }
    }
}

extension Rule {
    /// Just one of several rules passes: "must satisfy exactly one of several conditions".
    ///
    /// ```swift
    /// struct Contact: Sendable { var email: String?, phone: String? }
    /// let contact: Rule<Contact> = .exactlyOne(of: [
    ///     Rule.required.at(\.email, "email"), Rule.required.at(\.phone, "phone"),
    /// ]).message("must have an email address or a phone number, not both")
    /// ```
    ///
    /// nil passes, and of an empty list nothing else.
    public static func exactlyOne(of rules: [Rule]) -> Rule {
        let issue = Issue(
            standard: "exactlyOne",
            message: "must satisfy exactly one of several conditions"
        )
        let choices = rules.indices.map { chosen in
            Constraint.all(
                rules.indices.map { index in
                    index == chosen ? rules[index].constraint : .not(rules[index].constraint)
                }
            )
        }
        return counting(rules, issue, choices) { $0 == 1 }
    }

    /// All of several rules pass, or none of them: "must satisfy all of several conditions or none".
    ///
    /// nil passes.
    public static func allOrNone(of rules: [Rule]) -> Rule {
        let issue = Issue(
            standard: "allOrNone",
            message: "must satisfy all of several conditions or none"
        )
        let constraints = rules.map(\.constraint)
        let choices = [Constraint.all(constraints), .all(constraints.map { .not($0) })]
        return counting(rules, issue, choices) { $0 == 0 || $0 == rules.count }
    }

    private static func counting(
        _ rules: [Rule],
        _ issue: Issue,
        _ choices: [Constraint],
        _ test: @escaping @Sendable (Int) -> Bool
    ) -> Rule {
        // nil passes, whatever the rules say of it.
        Rule(issue, constraint: .any([.not(.required)] + choices)) { value in
            var unused: [Issue] = []
            return test(rules.count { $0.core.body(value, .verdict, &unused) })
        }
    }
}
