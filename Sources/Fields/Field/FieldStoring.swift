/// What a field asks of the stores that keep its values.
///
/// One byte beside the others, so that it makes no field larger.
@usableFromInline
struct FieldStoring: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Values are found quickly.
    @inlinable static var indexed: FieldStoring { FieldStoring(rawValue: 1) }
    /// No two records have the same value.
    @inlinable static var unique: FieldStoring { FieldStoring(rawValue: 2) }
}
