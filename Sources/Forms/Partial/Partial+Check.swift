public import ModelKitValues

extension Partial {
    /// One thing that a form has to satisfy.
    ///
    /// ```swift
    /// let checks: [Partial<User>.Check] = [
    ///     .required(\.firstName, "firstName"),
    ///     .value(\.age, "age", .min(18)),
    ///     .together(\.password, \.confirm, report: "confirm", "doesn't match") { $0 == $1 },
    /// ]
    /// ```
    ///
    /// The names are the paths of the issues: a key path does not know the name of its property. The
    /// issues of a check without a name are those of the form as a whole.
    public struct Check: Sendable {
        /// The properties that it is about; of several, whose name is not `name`.
        let keyPaths: [any PartialKeyPath<Root> & Sendable]
        let name: String?
        package let demand: CheckDemand
        /// Whether it is about how several properties go together.
        var isJoint = false
        let run: @Sendable (CheckSubject<Root>, inout Findings) -> Void
    }
}

/// What a check of a form demands, as data.
package struct CheckDemand: Sendable {
    /// The property, if the check names it.
    package let name: String?
    /// The type of its values, if the check knows it.
    package var type: Any.Type?
    package let constraint: Constraint
}

extension Partial.Check {
    /// The property has a value other than nil.
    public static func required(
        _ keyPath: any PartialKeyPath<Root> & Sendable,
        _ name: String? = nil
    ) -> Self {
        let type = type(of: keyPath).valueType
        let demand = CheckDemand(name: name, type: type, constraint: .required)
        return Self(keyPaths: [keyPath], name: name, demand: demand) { subject, findings in
            if subject.isMissing(keyPath) { findings.addMissing(keyPath) }
        }
    }

    /// The value of the property, if there is one, passes a test.
    @_disfavoredOverload  // of an optional property, `{ _ in false }` tests the value inside
    public static func valueValidation<Value: Sendable>(
        keyPath: any KeyPath<Root, Value> & Sendable,
        _ test: @escaping @Sendable (Value) -> Bool
    ) -> Self {
        asking(Rule { test($0) }, keyPath) { $0.value(for: keyPath) }
    }

    /// The value of an optional property, if there is one other than nil, passes a test.
    public static func valueValidation<Value: Sendable>(
        keyPath: any KeyPath<Root, Value?> & Sendable,
        _ test: @escaping @Sendable (Value) -> Bool
    ) -> Self {
        asking(Rule { test($0) }, keyPath) { $0.value(for: keyPath) ?? nil }
    }

    /// The value of the property satisfies a rule.
    ///
    /// The rule decides about a missing value: presence rules report it, others let it pass.
    @_disfavoredOverload  // of an optional property, `.required` is a rule for the value inside
    public static func value<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ name: String,
        _ rule: Rule<Value>
    ) -> Self {
        asking(rule, keyPath, name) { $0.value(for: keyPath) }
    }

    /// The value of an optional property satisfies a rule.
    ///
    /// The rule decides about a missing value or nil: presence rules report it, others let it pass.
    public static func value<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value?> & Sendable,
        _ name: String,
        _ rule: Rule<Value>
    ) -> Self {
        asking(rule, keyPath, name) { $0.value(for: keyPath) ?? nil }
    }

    private static func asking<Value>(
        _ rule: Rule<Value>,
        _ keyPath: any PartialKeyPath<Root> & Sendable,
        _ name: String? = nil,
        _ value: @escaping @Sendable (CheckSubject<Root>) -> Value?
    ) -> Self {
        let demand = CheckDemand(name: name, type: Value.self, constraint: rule.constraint)
        return Self(keyPaths: [keyPath], name: name, demand: demand) { subject, findings in
            let path = name.map(FieldPath.init(key:)) ?? []
            let found = rule.issues(for: value(subject), at: path)
            if found.isEmpty { return }
            let isMissing = subject.isMissing(keyPath)
            findings.add(found, as: isMissing ? .missing(keyPath) : .invalidValue(keyPath))
        }
    }
}
