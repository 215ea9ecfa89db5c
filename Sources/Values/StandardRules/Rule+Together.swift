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
    ///   - name: The name of the property that gets the issue.
    ///   - message: What is wrong with it, as the end of a sentence.
    ///   - code: The same for programs.
    ///   - condition: What has to hold. Called on any thread.
    /// - Returns: The rule.
    @_disfavoredOverload  // of optional properties, the condition takes the values inside
    public static func together<each Part: Sendable>(
        _ properties: repeat any KeyPath<Value, each Part> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (repeat each Part) -> Bool
    ) -> Rule {
        joint(name, message, code) { condition(repeat $0[keyPath: each properties]) }
    }

    /// Several optional properties go together.
    ///
    /// ```swift
    /// struct Stay: Sendable { var from: Int?, to: Int? }
    /// let stay: Rule<Stay> = .together(\.from, \.to, report: "to", "must be later") { $0 < $1 }
    /// ```
    ///
    /// The condition takes the values inside. Where one of them is nil, it is not asked, and passes.
    public static func together<each Part: Sendable>(
        _ properties: repeat any KeyPath<Value, (each Part)?> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (repeat each Part) -> Bool
    ) -> Rule {
        joint(name, message, code) { condition(repeat try inside($0[keyPath: each properties])) }
    }

    /// Two properties go together, of which the second is optional.
    @_disfavoredOverload  // of two optional properties either would do
    public static func together<First: Sendable, Second: Sendable>(
        _ first: any KeyPath<Value, First> & Sendable,
        _ second: any KeyPath<Value, Second?> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (First, Second) -> Bool
    ) -> Rule {
        joint(name, message, code) {
            condition($0[keyPath: first], try inside($0[keyPath: second]))
        }
    }

    /// Two properties go together, of which the first is optional.
    @_disfavoredOverload  // of two optional properties either would do
    public static func together<First: Sendable, Second: Sendable>(
        _ first: any KeyPath<Value, First?> & Sendable,
        _ second: any KeyPath<Value, Second> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (First, Second) -> Bool
    ) -> Rule {
        joint(name, message, code) {
            condition(try inside($0[keyPath: first]), $0[keyPath: second])
        }
    }

    private static func joint(
        _ name: String,
        _ message: String,
        _ code: String,
        _ condition: @escaping @Sendable (Value) throws -> Bool
    ) -> Rule {
        Rule(
            Issue(code: code, path: FieldPath(key: name), message: message),
            constraint: .property(name, .opaque)
        ) { value in
            (try? condition(value)) ?? true
        }
    }

    private static func inside<Part>(_ value: Part?) throws(NoValue) -> Part {
        guard let value else { throw NoValue() }
        return value
    }
}

/// An optional property is nil.
private struct NoValue: Error {}
