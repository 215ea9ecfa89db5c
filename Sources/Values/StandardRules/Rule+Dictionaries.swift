extension Rule {
    /// Every key of a dictionary satisfies a rule; an issue of a key stands at it.
    ///
    /// ```swift
    /// let labels: Rule<[String: Int]> = .keys(.slug) && .values(.positive)
    /// labels.issues(for: ["a": 0]).map(\.description)   // ["a must be greater than 0"]
    /// ```
    ///
    /// Issues are in the order of the keys' texts. A missing dictionary passes.
    public static func keys<Key: Sendable, Element: Sendable>(_ rule: Rule<Key>) -> Rule
    where Value == [Key: Element] {
        inside(.keys(rule.constraint), rule) { key, _ in key }
    }

    /// Every value of a dictionary satisfies a rule; an issue of a value stands at its key.
    ///
    /// Issues are in the order of the keys' texts. A missing dictionary passes.
    public static func values<Key: Sendable, Element: Sendable>(_ rule: Rule<Element>) -> Rule
    where Value == [Key: Element] {
        inside(.values(rule.constraint), rule) { _, element in element }
    }

    private static func inside<Key: Sendable, Element: Sendable, Part: Sendable>(
        _ constraint: Constraint,
        _ rule: Rule<Part>,
        _ part: @escaping @Sendable (Key, Element) -> Part
    ) -> Rule where Value == [Key: Element] {
        let core = rule.core
        return Rule(constraint: constraint, canWarn: core.canWarn) { values, asking, issues in
            guard let values else { return asking != .failure || core.body(nil, asking, &issues) }
            let passes = values.allSatisfy { core.body(part($0, $1), .verdict, &issues) }
            if asking == .verdict || passes && !core.canWarn { return passes }
            // In an order that the dictionary does not have.
            let sorted = values.map { (name: keyName($0), part: part($0, $1)) }
                .sorted { $0.name < $1.name }
            for (name, part) in sorted {
                let start = issues.count
                let isRight = core.body(part, asking, &issues)
                if issues.count > start { issues.nest(from: start, under: FieldPath(key: name)) }
                if !isRight && asking != .everything { break }
            }
            return passes
        }
    }

    /// What a key of a dictionary is called in paths.
    private static func keyName(_ key: some Sendable) -> String {
        key as? String ?? AttributeValue(describing: key).phrase
    }
}
