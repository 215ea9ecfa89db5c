package import ModelKitFields

extension AnyField {
    /// What the field demands of a value: by its domain, which counts when it is read, and by its
    /// rules.
    package func constraint(withRules: Bool) -> Constraint {
        var parts = withRules ? [ruleConstraint, domainConstraint] : [domainConstraint]
        if let elementField {
            let inner = elementField.constraint(withRules: withRules)
            if inner != .all([]) { parts.append(.items(inner)) }
        }
        return Constraint(all: parts)
    }

    /// Whether the field that is not set is not valid.
    package func needsValue(by constraint: Constraint) -> Bool {
        anyValue == nil ? constraint.refusesNil : !isCurrentlyValid
    }
}
