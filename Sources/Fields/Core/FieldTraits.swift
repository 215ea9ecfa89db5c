/// What makes some fields take a value in another way than by storing it.
///
/// One byte, read under the lock, so that a field without any pays one branch.
@usableFromInline
struct FieldTraits: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It compares values in its own way.
    @inlinable static var equality: FieldTraits { FieldTraits(rawValue: 1) }
    /// It takes another value in place of some.
    @inlinable static var domain: FieldTraits { FieldTraits(rawValue: 2) }
    /// Somebody is editing its value.
    @inlinable static var held: FieldTraits { FieldTraits(rawValue: 4) }
    /// It is one side of a relation, or is to become one.
    @inlinable static var related: FieldTraits { FieldTraits(rawValue: 8) }
    /// Others have said something against its value, or async rules have, which every set takes back.
    @inlinable static var judged: FieldTraits { FieldTraits(rawValue: 16) }
    /// A computation has read when it was set, or another thing that every set may change.
    @inlinable static var timed: FieldTraits { FieldTraits(rawValue: 32) }
}

/// What a field asks of the stores that keep its values.
///
/// One byte beside the others, so that it makes no field larger.
@usableFromInline
enum FieldStoring: UInt8, Sendable {
    case nothing
    /// Values are found quickly.
    case indexed
    /// They are, and no two records have the same value.
    case unique
}

/// What the last validation said, without its issues.
@usableFromInline
enum Verdict: UInt8, Sendable {
    case unknown, invalid, valid
}
