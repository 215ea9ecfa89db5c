import ModelKitValues

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whether two values differ as a field sees it: by `==`, but two NaN are the same.
@inlinable @inline(__always)
package func differs<Value: Equatable>(_ old: Value?, _ new: Value?) -> Bool {
    if old == new { return false }
    if old == old || new == new { return true }
    return !hasKnownEquality(Value.self) && differsToTheBit(old, new)
}

/// Whether two values differ neither of which equals itself.
///
/// Those with a NaN inside may differ elsewhere, which `==` does not tell; it is better to tell of a
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

extension Field {
    /// Decides by a closure, in place of `==`, which values are the same: those that move
    /// `changedAt` and are delivered to observers of changes are not.
    ///
    /// A value that is the same is stored, delivered to the other observers and taken by computed fields
    /// all the same, so small steps may lead far without a change. nil is the same as nil and as
    /// nothing else; the closure decides about all values, also about NaN.
    ///
    /// ```swift
    /// let width = Field<Double>().equality { abs($0 - $1) < 0.01 }
    /// ```
    ///
    /// - Parameter areSame: Whether two values are the same. It may be called on any thread, with no
    ///   lock held, and more than once for a set.
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func equality(
        _ areSame: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool
    ) -> Self {
        let state = ensureState()
        let old = lock.withLock {
            let old = state.equality
            state.equality = areSame
            traits.insert(.equality)
            return old
        }
        withExtendedLifetime(old) {}
        return self
    }

    /// Whether two values differ as this field sees it.
    ///
    /// No lock may be held.
    @usableFromInline
    final func isDifferent(_ old: Value?, _ new: Value?) -> Bool {
        differs(old, new, by: ownEquality)
    }

    /// What decides in place of `==`.
    final var ownEquality: (@Sendable (_ old: Value, _ new: Value) -> Bool)? {
        lock.withLock { state?.equality }
    }

    /// Finds out whether a joined change is one.
    ///
    /// No lock may be held.
    @usableFromInline @inline(never)
    final func compare(_ change: inout Change<Value>) {
        change.isChange = change.isForced || isDifferent(change.old, change.new)
    }
}

/// Whether `==` of a type is known to be no code of the user, so that it may run under a lock.
///
/// The compiler decides it where the field's type is known.
@inlinable @inline(__always)
func hasKnownEquality<Value>(_ type: Value.Type) -> Bool {
    type == Int.self || type == String.self || type == Bool.self || type == Double.self
        || type == Date.self || type == Int64.self || type == UUID.self || type == Float.self
}
