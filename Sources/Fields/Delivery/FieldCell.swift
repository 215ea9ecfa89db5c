/// The part of a ``Field`` that holds its value, or nil.
///
/// It is a class of its own for speed: what is released with a field is then known to be of the type
/// `Content`, and not looked up as an optional of the field's type, which takes many times as long
/// as all the rest. Use `Field`:
///
/// ```swift
/// let age = Field<Int>(value: 36)
/// age.value   // 36
/// ```
// Safe: as for `AnyField`; the storage is guarded by the lock.
open class FieldCell<Content: Sendable>: AnyField, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline final var storage: Content

    @inlinable
    package init(_ content: Content) {
        storage = content
        super.init()
    }

    // For code that knows the type of the content: otherwise the runtime looks it up to release it.
    @inlinable deinit {}
}
