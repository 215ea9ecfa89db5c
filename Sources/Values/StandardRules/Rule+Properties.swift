// Rules of several properties of one value.

extension Rule {
    /// A property equals another one: "must be the same".
    ///
    /// nil passes.
    ///
    /// - Parameters:
    ///   - property: The property that gets the issue, such as a repeated password.
    ///   - name: Its name.
    ///   - other: The one it has to equal.
    /// - Returns: The rule.
    public static func matches<Part: Equatable & Sendable>(
        _ property: any KeyPath<Value, Part> & Sendable,
        _ name: String,
        _ other: any KeyPath<Value, Part> & Sendable
    ) -> Rule {
        let issue = LazyIssue {
            var issue = Issue(standard: "matches", message: "must be the same")
            issue.path = FieldPath(key: name)
            return issue
        }
        return Rule(issue, constraint: .property(name, .opaque)) {
            $0[keyPath: property] == $0[keyPath: other]
        }
    }
}

extension Rule {
    /// A property is needed where a condition holds: "is required".
    ///
    /// ```swift
    /// struct Parcel: Sendable { var isGift = false, note: String? }
    /// let parcel: Rule<Parcel> = .requiredIf(\.note, "note") { $0.isGift }
    /// ```
    ///
    /// nil passes.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - name: Its name.
    ///   - condition: Whether it is needed. Called on any thread.
    /// - Returns: The rule.
    public static func requiredIf<Part: Sendable>(
        _ property: any KeyPath<Value, Part?> & Sendable,
        _ name: String,
        _ condition: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
        Rule<Part>.required.at(property, name).when { $0.map(condition) ?? false }
    }

    /// A property is needed where a condition does not hold: "is required".
    ///
    /// nil passes.
    public static func requiredUnless<Part: Sendable>(
        _ property: any KeyPath<Value, Part?> & Sendable,
        _ name: String,
        _ condition: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
        requiredIf(property, name) { !condition($0) }
    }

    /// A property is needed where another one is there: "is required".
    ///
    /// nil passes.
    public static func requiredWith<Part: Sendable, Other: Sendable>(
        _ property: any KeyPath<Value, Part?> & Sendable,
        _ name: String,
        _ other: any KeyPath<Value, Other?> & Sendable
    ) -> Rule {
        requiredIf(property, name) { $0[keyPath: other] != nil }
    }

    /// A property is less than another one: "must be less than end".
    ///
    /// nil passes.
    ///
    /// - Parameters:
    ///   - property: The property that gets the issue.
    ///   - name: Its name.
    ///   - other: The one that it has to be less than.
    ///   - otherName: What the message calls that.
    /// - Returns: The rule.
    public static func lessThan<Part: Comparable & Sendable>(
        _ property: any KeyPath<Value, Part> & Sendable,
        _ name: String,
        _ other: any KeyPath<Value, Part> & Sendable,
        _ otherName: String
    ) -> Rule {
        comparing(name, otherName) { value in
            isLess(value[keyPath: property], value[keyPath: other])
        }
    }

    /// An optional property is less than another one, where both are there.
    ///
    /// nil passes.
    public static func lessThan<Part: Comparable & Sendable>(
        _ property: any KeyPath<Value, Part?> & Sendable,
        _ name: String,
        _ other: any KeyPath<Value, Part?> & Sendable,
        _ otherName: String
    ) -> Rule {
        comparing(name, otherName) { value in
            guard let left = value[keyPath: property], let right = value[keyPath: other] else {
                return true
            }
            return isLess(left, right)
        }
    }

    private static func isLess<Part: Comparable>(_ left: Part, _ right: Part) -> Bool {
        areOrdered(left, right) && left < right
    }

    private static func comparing(
        _ name: String,
        _ otherName: String,
        _ condition: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
        let issue = LazyIssue {
            var issue = Issue(
                standard: "lessThan",
                message: "must be less than \(otherName)",
                parameters: ["other": .string(otherName)]
            )
            issue.path = FieldPath(key: name)
            return issue
        }
        return Rule(issue, constraint: .property(name, .opaque), condition)
    }
}

extension Rule {
    /// At least one of several rules passes: "must satisfy at least one of several conditions".
    ///
    /// ```swift
    /// let contact: Rule<Contact> = .atLeastOne(of: [
    ///     Rule.required.at(\.email, "email"), Rule.required.at(\.phone, "phone"),
    /// ])
    /// ```
    ///
    /// nil passes, and of an empty list nothing else. ``any(_:)`` reports what the rules say
    /// themselves.
    public static func atLeastOne(of rules: [Rule]) -> Rule {
        let message = "must satisfy at least one of several conditions"
        return counting("atLeastOne", message, rules, { $0 }) { $0 > 0 }
    }

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
        let message = "must satisfy exactly one of several conditions"
        let choices = { @Sendable (constraints: [Constraint]) in
            constraints.indices.map { chosen in
                Constraint.all(
                    constraints.indices.map { index in
                        index == chosen ? constraints[index] : .not(constraints[index])
                    }
                )
            }
        }
        return counting("exactlyOne", message, rules, choices) { $0 == 1 }
    }

    /// All of several rules pass, or none of them: "must satisfy all of several conditions or none".
    ///
    /// nil passes.
    public static func allOrNone(of rules: [Rule]) -> Rule {
        let message = "must satisfy all of several conditions or none"
        let choices = { @Sendable (constraints: [Constraint]) in
            [Constraint.all(constraints), .all(constraints.map { .not($0) })]
        }
        return counting("allOrNone", message, rules, choices) { $0 == 0 || $0 == rules.count }
    }

    private static func counting(
        _ code: String,
        _ message: String,
        _ rules: [Rule],
        _ choices: @escaping @Sendable (_ constraints: [Constraint]) -> [Constraint],
        _ test: @escaping @Sendable (Int) -> Bool
    ) -> Rule {
        // nil passes, whatever the rules say of it.
        standard(
            code,
            message,
            .any([.not(.required)] + choices(rules.map(\.constraint)))
        ) { value in
            var unused: [Issue] = []
            return test(rules.count { $0.core.body(value, .verdict, &unused) })
        }
    }
}
