/// A side on which a value is bounded, by its keyword in JSON Schema.
@usableFromInline
package enum BoundSide: String, Sendable, CaseIterable {
    case minimum, exclusiveMinimum, maximum, exclusiveMaximum

    /// What is said of a value beyond a bound.
    @usableFromInline
    package func issue(_ bound: AttributeValue) -> Issue {
        switch self {
        case .minimum: Issue("min", "must be greater than or equal to", bound, as: "min")
        case .maximum: Issue("max", "must be less than or equal to", bound, as: "max")
        case .exclusiveMinimum: Issue("greaterThan", "must be greater than", bound, as: "min")
        case .exclusiveMaximum: Issue("lessThan", "must be less than", bound, as: "max")
        }
    }

    @usableFromInline
    func constraint(_ bound: AttributeValue) -> Constraint {
        switch self {
        case .minimum: .minimum(bound)
        case .maximum: .maximum(bound)
        case .exclusiveMinimum: .exclusiveMinimum(bound)
        case .exclusiveMaximum: .exclusiveMaximum(bound)
        }
    }
}
