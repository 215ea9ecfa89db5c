#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whether two values differ as a field sees it: by `==`, but a value that does not equal itself
/// (NaN) is the same as another such.
@inlinable @inline(__always)
func differs<Value: Equatable>(_ old: Value?, _ new: Value?) -> Bool {
    if old == new { return false }
    return old == old || new == new
}

extension Field {
    /// Whether two values differ as this field sees it.
    ///
    /// No lock may be held.
    @inlinable
    final func isDifferent(_ old: Value?, _ new: Value?) -> Bool { differs(old, new) }
}

/// Whether `==` of a type is known to be no code of the user, so that it may run under a lock.
///
/// The compiler decides it where the field's type is known.
@inlinable @inline(__always)
func hasKnownEquality<Value>(_ type: Value.Type) -> Bool {
    type == Int.self || type == String.self || type == Bool.self || type == Double.self
        || type == Date.self || type == Int64.self || type == UUID.self || type == Float.self
}
