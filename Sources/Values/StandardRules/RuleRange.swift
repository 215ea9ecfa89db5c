/// A range that a rule can be made of: each of the standard library's.
///
/// ```swift
/// let age: Rule<Int> = .range(18...)
/// let share: Rule<Double> = .range(0..<1)
/// let name: Rule<String> = .length(...40)
/// ```
public protocol RuleRange<Bound> {
    associatedtype Bound: Comparable

    /// Its ends.
    var ruleBounds: RuleBounds<Bound> { get }
}

/// The ends of a range: `RuleBounds(lower: 0, upper: 1, isUpperExcluded: true)` is `0..<1`.
///
/// ```swift
/// let bounds = (1...9).ruleBounds
/// ```
public struct RuleBounds<Bound: Comparable> {
    /// The lowest value inside, or nil if there is no limit.
    public var lower: Bound?

    /// The highest value inside, or the first one outside, or nil if there is no limit.
    public var upper: Bound?

    /// Whether `upper` is outside.
    public var isUpperExcluded: Bool

    public init(lower: Bound? = nil, upper: Bound? = nil, isUpperExcluded: Bool = false) {
        self.lower = lower
        self.upper = upper
        self.isUpperExcluded = isUpperExcluded
    }
}

extension ClosedRange: RuleRange {
    public var ruleBounds: RuleBounds<Bound> { RuleBounds(lower: lowerBound, upper: upperBound) }
}

extension Range: RuleRange {
    public var ruleBounds: RuleBounds<Bound> {
        RuleBounds(lower: lowerBound, upper: upperBound, isUpperExcluded: true)
    }
}

extension PartialRangeFrom: RuleRange {
    public var ruleBounds: RuleBounds<Bound> { RuleBounds(lower: lowerBound) }
}

extension PartialRangeThrough: RuleRange {
    public var ruleBounds: RuleBounds<Bound> { RuleBounds(upper: upperBound) }
}

extension PartialRangeUpTo: RuleRange {
    public var ruleBounds: RuleBounds<Bound> {
        RuleBounds(upper: upperBound, isUpperExcluded: true)
    }
}

extension RuleBounds: RuleRange {
    public var ruleBounds: RuleBounds { self }
}

extension RuleBounds: Sendable where Bound: Sendable {}
extension RuleBounds: Equatable {}
extension RuleBounds: Hashable where Bound: Hashable {}

extension RuleBounds {
    /// The rule that both ends make, each out of its own.
    @inlinable
    func rule<Value>(
        exactly: (Bound) -> Rule<Value>,
        min: (Bound) -> Rule<Value>,
        max: (Bound) -> Rule<Value>,
        below: (Bound) -> Rule<Value>
    ) -> Rule<Value> {
        let highest = upper.map { isUpperExcluded ? below($0) : max($0) }
        guard let lower else { return highest ?? .all([]) }
        guard let upper, let highest else { return min(lower) }
        if !isUpperExcluded && lower == upper && areOrdered(lower, upper) { return exactly(lower) }
        return min(lower) && highest
    }
}
