public import ModelKitEssentials

/// Whether two values differ as a field sees it: by `==`, but two NaN are the same.
@inlinable @inline(__always)
package func differs<Value: Equatable>(_ old: Value?, _ new: Value?) -> Bool {
    if old == new { return false }
    if old == old || new == new { return true }
    return !hasKnownEquality(Value.self) && differsToTheBit(old, new)
}

/// Whether two values differ neither of which equals itself.
///
/// Those with a NaN inside may differ elsewhere, which `==` does not see; it is better to report a
/// change that is none than to lose one.
@usableFromInline @inline(never)
func differsToTheBit<Value: Equatable>(_ old: Value?, _ new: Value?) -> Bool {
    if Value.self is any FloatingPoint.Type { return false }
    return !isIdentical(old, new)
}

/// Whether two values are the same to the bit: of arrays, whether their elements are stored once.
///
/// It runs no code of the user.
func isIdentical<Value>(_ left: Value, _ right: Value) -> Bool {
    withUnsafeBytes(of: left) { left in
        withUnsafeBytes(of: right) { $0.elementsEqual(left) }
    }
}

/// The same, by a field's own equality if it has one: nil is the same as nil and as nothing else.
func differs<Value: Equatable>(
    _ old: Value?,
    _ new: Value?,
    by areSame: (@Sendable (_ old: Value, _ new: Value) -> Bool)?
) -> Bool {
    guard let areSame else { return differs(old, new) }
    guard let old, let new else { return (old == nil) != (new == nil) }
    return !areSame(old, new)
}

/// Whether `==` of a type is known to be no code of the user, so that it may run under a lock.
///
/// The compiler decides it where the field's type is known.
@inlinable @inline(__always)
func hasKnownEquality<Value>(_ type: Value.Type) -> Bool {
    type == Int.self || type == String.self || type == Bool.self || type == Double.self
        || type == Date.self || type == Int64.self || type == UUID.self || type == Float.self
}
