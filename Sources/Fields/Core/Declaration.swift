public import ModelKitValues

/// What most fields of models are declared with: a name, a key, rules.
///
/// Apart from the details, which are many times as large and of the type of the values: to make those for each field of
/// each model that is read takes longer than to read it. All of it is guarded by the lock of the field that holds it.
@usableFromInline
final class Declaration {
    let name: String?
    let key: FieldKey?
    let priority: Int?
    @exclusivity(unchecked) var isIdentifier = false
    /// How many rules there are, async ones too, by which a verdict of fewer is known.
    @exclusivity(unchecked) @usableFromInline var ruleCount = 0
    /// The only rule, or all as one; nil where there is none, or several are still to be joined.
    ///
    /// As all rules here, it is the `RuleCore` of one of the field's value type.
    @exclusivity(unchecked) @usableFromInline var allRules: AnyObject?
    /// The rules in their order, where there are several.
    @exclusivity(unchecked) @usableFromInline var severalRules: [AnyObject] = []
    /// What the last validation began with.
    @exclusivity(unchecked) var issuesStart: UInt64 = 0

    init(name: String? = nil, key: FieldKey? = nil, priority: Int? = nil) {
        (self.name, self.key, self.priority) = (name, key, priority)
    }

    /// How diagnostics and descriptions call the field.
    var title: String? { name ?? key?.description }

    /// The same, without the findings of a validation.
    convenience init(copying other: Declaration) {
        self.init(name: other.name, key: other.key, priority: other.priority)
        (isIdentifier, ruleCount) = (other.isIdentifier, other.ruleCount)
        (allRules, severalRules) = (other.allRules, other.severalRules)
    }

    func append(_ rule: AnyObject) {
        if severalRules.isEmpty {
            guard let first = allRules else { return allRules = rule }
            severalRules = [first]
        }
        severalRules.append(rule)
        // Several are joined by the first validation: most fields of most models are never asked.
        allRules = nil
    }

    func append(contentsOf rules: [AnyObject]) {
        if allRules == nil, severalRules.isEmpty, rules.count > 1 { return severalRules = rules }
        for rule in rules { append(rule) }
    }

    @inlinable
    var mustJoinRules: Bool { allRules == nil && !severalRules.isEmpty }

    /// The rules as one, unless they are still to be joined.
    ///
    /// As its core, of which code of any type needs no metadata.
    @inlinable @inline(__always)
    func knownRule<Value>(of type: Value.Type) -> RuleCore<Value>? {
        guard let allRules else { return nil }
        return unsafeDowncast(allRules, to: RuleCore<Value>.self)
    }

    /// The rules as one.
    func joinRules<Value>(of type: Value.Type) -> RuleCore<Value>? {
        if mustJoinRules { allRules = Rule.all(rules(of: type)).core }
        return knownRule(of: type)
    }

    /// The rules, in the order in which they were added.
    func rules<Value>(of type: Value.Type) -> [Rule<Value>] {
        if severalRules.isEmpty { return knownRule(of: type).map { [Rule($0)] } ?? [] }
        return severalRules.map { Rule(unsafeDowncast($0, to: RuleCore<Value>.self)) }
    }
}
