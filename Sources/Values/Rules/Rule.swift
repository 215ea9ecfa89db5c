/// A check of a value that may be missing, and what to say when it fails.
///
/// ```swift
/// let age: Rule<Int> = .greaterThan(0) && Rule("must be even") { $0 % 2 == 0 }
/// age.issues(for: -3).map(\.message)   // ["must be greater than 0", "must be even"]
/// age.issues(for: nil)                 // []
/// ```
///
/// The same rule goes into fields, `@Validated` properties, forms and model checks. It never
/// changes, so threads may share it, and what it says depends on the value alone, and of dates on the
/// clock; an object that it compares with is described when the first value fails. A check that passes allocates
/// nothing.
///
/// Presence rules (`required`, `notBlank`, `notEmpty`) decide about nil themselves; all others
/// let nil pass unless made with `allowNil: false`.
public struct Rule<Value: Sendable>: Sendable {
    @usableFromInline
    package let core: RuleCore<Value>

    @inlinable
    package init(_ core: RuleCore<Value>) { self.core = core }

    @usableFromInline
    package init(
        constraint: @autoclosure @escaping @Sendable () -> Constraint,
        canWarn: Bool = false,
        body: @escaping RuleCore<Value>.Body
    ) {
        core = RuleCore(constraint: constraint, canWarn: canWarn, body: body)
    }

    /// What the rule demands, as data, which is put together each time.
    public var constraint: Constraint { core.constraint() }

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
            LazyIssue { Issue(code: code, message: message, parameters: parameters) },
            missing: allowNil ? nil : .required,
            constraint: allowNil ? constraint : Constraint(all: [.required, constraint]),
            test
        )
    }

    @inlinable
    init(
        _ failure: LazyIssue,
        missing: LazyIssue? = nil,
        constraint: @autoclosure @escaping @Sendable () -> Constraint,
        _ test: @escaping @Sendable (Value) -> Bool
    ) {
        self.init(constraint: constraint()) { value, asking, issues in
            guard let value else {
                if asking == .failure {
                    issues.append(failure.issue)
                    return false
                }
                guard let missing else { return true }
                if asking != .verdict { issues.append(missing.issue) }
                return false
            }
            if test(value) { return true }
            if asking != .verdict { issues.append(failure.issue) }
            return false
        }
    }

    @inlinable
    init(
        _ failure: @autoclosure @escaping @Sendable () -> Issue,
        constraint: @autoclosure @escaping @Sendable () -> Constraint,
        _ test: @escaping @Sendable (Value) -> Bool
    ) {
        self.init(LazyIssue(failure), constraint: constraint(), test)
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
        self.init(constraint: constraint, canWarn: true) { value, asking, report in
            if asking == .failure { return false }
            let found = issues(value)
            if asking != .verdict { report += found }
            return !found.isBlocking
        }
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
        core.check(value, at: path(), into: &issues)
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
        var issues: [Issue] = []
        check(value, at: path(), into: &issues)
        return issues
    }
}

/// What a rule is made of, behind one reference: a rule is copied wherever rules are walked.
@usableFromInline
package final class RuleCore<Value: Sendable>: Sendable {
    /// The check of a value: whether it passes, its issues being appended.
    ///
    /// It only appends. The paths of its issues are relative to the value, so that no path has to
    /// be built for a value that passes.
    @usableFromInline
    package typealias Body = @Sendable (Value?, RuleQuestion, inout [Issue]) -> Bool

    @usableFromInline let constraint: @Sendable () -> Constraint

    /// Whether it may report on a value that passes.
    @usableFromInline let canWarn: Bool

    @usableFromInline package let body: Body

    @usableFromInline
    init(
        constraint: @escaping @Sendable () -> Constraint,
        canWarn: Bool,
        body: @escaping Body
    ) {
        self.constraint = constraint
        self.canWarn = canWarn
        self.body = body
    }

    /// Appends what is wrong with a value that stands at a path, as the rule does.
    @inlinable @inline(__always)
    package func check(
        _ value: Value?,
        at path: @autoclosure () -> FieldPath,
        into issues: inout [Issue]
    ) {
        let start = issues.count
        _ = body(value, .everything, &issues)
        if issues.count > start { issues.nest(from: start, under: path()) }
    }
}

/// How much a rule is to report.
@usableFromInline
package enum RuleQuestion: Sendable {
    /// All issues.
    case everything

    /// The issues up to the first error; more are no harm.
    case firstError

    /// No issue, only whether the value passes: what `!` and `||` ask, so that the failure inside a
    /// success costs no memory.
    case verdict

    /// What is said of a value that fails, without one: nil is the value, and does not pass.
    case failure
}
