import ModelKitValues

/// A value in a partial, of whatever type.
protocol PartialValue: Sendable, CustomStringConvertible {
    /// Whether it is nil.
    var isMissing: Bool { get }
}

/// A value in a partial as exactly the type of its property: a nil that was stored in an optional
/// property is not mistaken for none.
struct Stored<Value: Sendable>: PartialValue {
    let value: Value

    var isMissing: Bool { Rule<Value>.isMissing(value) }
    var description: String { String(reflecting: value) }
}
