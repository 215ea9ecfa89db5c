extension Rule {
    /// The value is there: "is required".
    ///
    /// An optional inside is looked into, so nil is missing however deeply it is wrapped.
    @inlinable
    public static var required: Rule {
        // Casting a value to an existential costs more than all else here: only for types that
        // are optional.
        SharedRules.required.rule {
            Rule(constraint: .required) { value, asking, issues in
                if _isOptional(Value.self) ? !isMissing(value) : value != nil { return true }
                if asking != .verdict { issues.append(LazyIssue.required.issue) }
                return false
            }
        }
    }

    /// There is no value: "must be absent".
    ///
    /// An optional inside is looked into, as by ``required``.
    public static var absent: Rule {
        standard("absent", "must be absent", .not(.required)) { isMissing($0) }
    }

    /// Whether there is no value, or an optional without one, however deeply it is wrapped.
    @usableFromInline
    package static func isMissing(_ value: Value?) -> Bool { value.flatMap(unwrapped) == nil }

    /// A rule that is asked about values only.
    @inlinable
    static func standard(
        _ code: String,
        _ message: String,
        _ constraint: @autoclosure @escaping @Sendable () -> Constraint = .opaque,
        _ test: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
        Rule(Issue(standard: code, message: message), constraint: constraint(), test)
    }

    @inlinable
    static func present(
        _ code: String,
        _ message: String,
        _ constraint: @autoclosure @escaping @Sendable () -> Constraint,
        _ test: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
        let failure = LazyIssue { Issue(standard: code, message: message) }
        return Rule(failure, missing: failure, constraint: constraint(), test)
    }
}

extension Rule<Bool> {
    /// It is true: "must be accepted".
    ///
    /// nil fails.
    public static var accepted: Rule {
        present("accepted", "must be accepted", .all([.required, .oneOf([true])])) { $0 }
    }
}

extension Rule where Value: Collection {
    /// There is at least one element: "cannot be empty".
    ///
    /// nil fails.
    @inlinable
    public static var notEmpty: Rule {
        present("notEmpty", "cannot be empty", Constraint(all: [.required, .minItems(1)])) {
            !$0.isEmpty
        }
    }
}

extension Rule where Value == String {
    /// There is at least one character, if only a space: "cannot be empty".
    ///
    /// nil fails.
    public static var notEmpty: Rule {
        present("notEmpty", "cannot be empty", Constraint(all: [.required, .minLength(1)])) {
            !$0.isEmpty
        }
    }
}

extension Rule where Value: Blankable {
    /// It says something: text more than Unicode white space, an array an element: "cannot be
    /// blank".
    ///
    /// nil fails.
    @inlinable
    public static var notBlank: Rule {
        SharedRules.notBlank.rule {
            present("notBlank", "cannot be blank", .notBlank(Value.self)) { !$0.isBlank }
        }
    }
}

/// A rule that all fields of a type share, as each instance of a model asks for its rules anew.
@usableFromInline
final class SharedRules: Sendable {
    @usableFromInline static let required = SharedRules()
    @usableFromInline static let notBlank = SharedRules()

    /// For each type its `RuleCore`.
    private let table = TypeTable<any AnyObject & Sendable>()

    @usableFromInline
    func rule<Value>(_ make: () -> Rule<Value>) -> Rule<Value> {
        let type = ObjectIdentifier(Value.self)
        let core = table[type] ?? table.keep(make().core, for: type)
        return Rule(unsafeDowncast(core, to: RuleCore<Value>.self))
    }
}
