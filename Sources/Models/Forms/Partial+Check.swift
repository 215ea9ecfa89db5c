public import ModelKitFields

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
        var keyPath: (any PartialKeyPath<Root> & Sendable)?
        var name: String?
        let demand: CheckDemand
        let run: @Sendable (Partial, inout Findings) -> Void
    }
}

/// What a check of a form demands, as data.
struct CheckDemand: Sendable {
    /// The property, if the check names it.
    let name: String?
    /// The type of its values, if the check knows it.
    var type: Any.Type?
    let constraint: Constraint
}

extension Partial.Check {
    /// The property has a value other than nil.
    public static func required(
        _ keyPath: any PartialKeyPath<Root> & Sendable,
        _ name: String? = nil
    ) -> Self {
        let type = type(of: keyPath).valueType
        let demand = CheckDemand(name: name, type: type, constraint: .required)
        return Self(keyPath: keyPath, name: name, demand: demand) { partial, findings in
            if partial.isMissing(keyPath) { findings.addMissing(keyPath) }
        }
    }

    /// The value of the property, if there is one, passes a test.
    @_disfavoredOverload  // of an optional property, `{ _ in false }` tests the value inside
    public static func valueValidation<Value: Sendable>(
        keyPath: any KeyPath<Root, Value> & Sendable,
        _ test: @escaping @Sendable (Value) -> Bool
    ) -> Self {
        asking(Rule { test($0) }, keyPath) { $0.storedValue(for: keyPath) }
    }

    /// The value of an optional property, if there is one other than nil, passes a test.
    public static func valueValidation<Value: Sendable>(
        keyPath: any KeyPath<Root, Value?> & Sendable,
        _ test: @escaping @Sendable (Value) -> Bool
    ) -> Self {
        asking(Rule { test($0) }, keyPath) { $0.storedValue(for: keyPath) ?? nil }
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
        asking(rule, keyPath, name) { $0.storedValue(for: keyPath) }
    }

    /// The value of an optional property satisfies a rule.
    ///
    /// The rule decides about a missing value or nil: presence rules report it, others let it pass.
    public static func value<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value?> & Sendable,
        _ name: String,
        _ rule: Rule<Value>
    ) -> Self {
        asking(rule, keyPath, name) { $0.storedValue(for: keyPath) ?? nil }
    }

    private static func asking<Value>(
        _ rule: Rule<Value>,
        _ keyPath: any PartialKeyPath<Root> & Sendable,
        _ name: String? = nil,
        _ value: @escaping @Sendable (Partial<Root>) -> Value?
    ) -> Self {
        let demand = CheckDemand(name: name, type: Value.self, constraint: rule.constraint)
        return Self(keyPath: keyPath, name: name, demand: demand) { partial, findings in
            let path = name.map(FieldPath.init(key:)) ?? []
            let found = rule.issues(for: value(partial), at: path)
            if found.isEmpty { return }
            let isMissing = partial.isMissing(keyPath)
            findings.add(found, as: isMissing ? .missing(keyPath) : .invalidValue(keyPath))
        }
    }

    /// The values of several properties go together.
    ///
    /// Asked as soon as all of them are there and none is nil, whatever else is wrong.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties, as many as the condition takes.
    ///   - name: The name of the property that is told. The reason has the key path that another
    ///     check gives this name to; if none does, the last one here.
    ///   - message: What it is told, as the end of a sentence.
    ///   - code: The same for programs.
    ///   - condition: What has to hold. Called on any thread.
    /// - Returns: The check.
    public static func together<each Value: Sendable>(
        _ keyPaths: repeat any KeyPath<Root, each Value> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (repeat each Value) -> Bool
    ) -> Self {
        let issue = Issue(code: code, path: FieldPath(key: name), message: message)
        var all: [any PartialKeyPath<Root> & Sendable] = []
        for keyPath in repeat each keyPaths { all.append(keyPath) }
        let demand = CheckDemand(name: name, constraint: .opaque)
        return Self(demand: demand) { [all] partial, findings in
            if all.contains(where: partial.isMissing) { return }
            do {
                if condition(repeat try partial.value(for: each keyPaths)) { return }
            } catch { return }
            let keyPath = findings.keyPath(named: name) ?? all.last ?? Partial.whole
            findings.add([issue], as: .invalidValue(keyPath))
        }
    }
}
