import ModelKitEssentials

/// The values that a field holds, and which of them it takes in place of another.
///
/// ```swift
/// let percent = Field<Int>().constrain(to: 0...100)
/// percent.value = 250   // it is 100
/// let short = Domain<String>(.maxLength(8)) { String($0.prefix(8)) }
/// let code = Field<String>().constrain(to: short)
/// ```
///
/// nil is in every domain.
public struct Domain<Value: Sendable>: Sendable {
    @usableFromInline package let core: DomainCore<Value>

    /// The domain of the values that pass a rule.
    ///
    /// - Parameters:
    ///   - rule: Says which values are inside, and of those from outside what is wrong.
    ///   - nearest: What is taken in place of a value from outside; it should be inside. Without it
    ///     that is nil. Called on any thread, with no lock held, and more than once for a set.
    public init(
        _ rule: Rule<Value>,
        nearest: @escaping @Sendable (_ outsider: Value) -> Value? = { _ in nil }
    ) {
        core = DomainCore(rule: rule, nearest: nearest)
    }

    /// What the domain demands of a value, as data.
    public var constraint: Constraint { core.rule.constraint }

    /// Whether a value is inside.
    public func contains(_ value: Value) -> Bool {
        var issues: [Issue] = []
        return core.rule.core.body(value, .verdict, &issues)
    }

    /// A value from inside as it is, and what is taken in place of one from outside.
    public func nearest(to value: Value) -> Value? {
        contains(value) ? value : core.nearest(value)
    }
}

extension Domain where Value: Equatable {
    /// The values of a list; in place of another nil is taken.
    ///
    /// Takes time in proportion to the list.
    public static func oneOf(_ values: [Value]) -> Domain { Domain(.oneOf(values)) }
}

extension Domain where Value: Comparable {
    /// The values of a range; in place of another the end is taken that it has passed.
    ///
    /// The last value of a range without its end is known of integers, floating-point numbers and
    /// dates; above ranges of other types, and in place of NaN, nil is taken.
    public static func range(_ range: some RuleRange<Value>) -> Domain {
        let rule = Rule<Value>.range(range)
        let inside = Domain(rule)
        let bounds = range.ruleBounds
        let last = bounds.isUpperExcluded ? bounds.upper.flatMap(value(before:)) : bounds.upper
        // Those of an empty range are not inside.
        let lowest = bounds.lower.flatMap { inside.nearest(to: $0) }
        let highest = last.flatMap { inside.nearest(to: $0) }
        return Domain(rule) { value in
            guard areOrdered(value, value) else { return nil }
            if let lowest, value < lowest { return lowest }
            if let highest, value > highest { return highest }
            return nil
        }
    }
}

/// The greatest value below another, where the type has such.
private func value<Value>(before value: Value) -> Value? {
    switch value {
    case let value as any FixedWidthInteger: value.predecessor as? Value
    case let value as any BinaryFloatingPoint: value.nextDown as? Value
    case let value as Date:
        Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate.nextDown)
            as? Value
    default: nil
    }
}

extension FixedWidthInteger {
    fileprivate var predecessor: Self? { self == .min ? nil : self - 1 }
}

/// What a domain is made of, behind one reference, which is also its identity.
@usableFromInline
package final class DomainCore<Value: Sendable>: Sendable {
    package let rule: Rule<Value>
    let nearest: @Sendable (Value) -> Value?

    init(rule: Rule<Value>, nearest: @escaping @Sendable (Value) -> Value?) {
        self.rule = rule
        self.nearest = nearest
    }
}
