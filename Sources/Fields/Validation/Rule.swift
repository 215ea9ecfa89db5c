/// A check of a value that may be missing, and what to say when it fails.
///
/// ```swift
/// let age: Rule<Int> = .greaterThan(0) && Rule("must be even") { $0 % 2 == 0 }
/// age.issues(for: -3).map(\.message)   // ["must be greater than 0", "must be even"]
/// age.issues(for: nil)                 // []
/// ```
///
/// The same rule goes into fields, `@Validated` properties, forms and model checks. It never
/// changes, so threads may share it, and what it says depends on the value alone. A check that
/// passes allocates nothing.
///
/// Presence rules (`required`, `notBlank`, `notEmpty`) decide about nil themselves; all others
/// let nil pass unless made with `allowNil: false`.
public struct Rule<Value: Sendable>: Sendable {
    /// What the rule demands, as data.
    public let constraint: Constraint

    /// The check: of a value, and whether to stop after the first error. The paths of the issues
    /// are relative to the value, so that no path has to be built for a value that passes.
    @usableFromInline
    let body: @Sendable (Value?, Bool) -> [Issue]

    @usableFromInline
    init(constraint: Constraint, body: @escaping @Sendable (Value?, Bool) -> [Issue]) {
        self.constraint = constraint
        self.body = body
    }

    /// Makes a rule from a test that is asked about values only.
    ///
    /// nil passes unless `allowNil` is false; then it "is required".
    ///
    /// - Parameters:
    ///   - message: What is wrong with a value that fails, as the end of a sentence.
    ///   - code: The same for programs.
    ///   - parameters: The numbers and texts inside the message.
    ///   - allowNil: Whether nil passes.
    ///   - constraint: What the test demands, as data.
    ///   - test: Whether the value passes. Called on any thread.
    @inlinable
    public init(
        _ message: String = "is invalid",
        code: String = "custom",
        parameters: [String: AttributeValue] = [:],
        allowNil: Bool = true,
        constraint: Constraint = .opaque,
        _ test: @escaping @Sendable (Value) -> Bool
    ) {
        self.init(
            Issue(code: code, message: message, parameters: parameters),
            missing: allowNil ? nil : .required,
            constraint: allowNil ? constraint : Constraint(all: [.required, constraint]),
            test
        )
    }

    /// The issues are made here, once, so that even a failing check copies only a reference.
    @inlinable
    init(
        _ failure: Issue,
        missing: Issue? = nil,
        constraint: Constraint,
        _ test: @escaping @Sendable (Value) -> Bool
    ) {
        let failure = [failure]
        let missing = missing.map { [$0] } ?? []
        self.init(constraint: constraint) { value, _ in
            guard let value else { return missing }
            return test(value) ? [] : failure
        }
    }

    /// Makes a rule from a function that lists what is wrong with a value, or with nil.
    ///
    /// The paths of its issues start at the value; whoever checks puts its own path before them.
    ///
    /// - Parameters:
    ///   - constraint: What the function demands, as data.
    ///   - issues: What is wrong. Called on any thread.
    public init(
        constraint: Constraint = .opaque,
        issues: @escaping @Sendable (Value?) -> [Issue]
    ) {
        self.init(constraint: constraint) { value, _ in issues(value) }
    }
}

extension Rule {
    /// Appends what is wrong with a value that stands at a path.
    ///
    /// - Parameters:
    ///   - value: The value, or nil for none.
    ///   - path: Where the value stands; computed only if something is wrong.
    ///   - issues: Where the issues go.
    @inlinable
    public func check(
        _ value: Value?,
        at path: @autoclosure () -> FieldPath,
        into issues: inout [Issue]
    ) {
        let found = body(value, false)
        if !found.isEmpty { issues += found.under(path()) }
    }

    /// What is wrong with a value that stands at a path; nothing if it passes.
    ///
    /// - Parameters:
    ///   - value: The value, or nil for none.
    ///   - path: Where the value stands; computed only if something is wrong.
    /// - Returns: The issues, warnings included, in the order of the rules.
    @inlinable
    public func issues(
        for value: Value?,
        at path: @autoclosure () -> FieldPath = []
    ) -> [Issue] {
        let found = body(value, false)
        return found.isEmpty ? found : found.under(path())
    }
}
