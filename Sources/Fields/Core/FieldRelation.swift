/// What makes a field one side of a relation, whatever its values.
///
/// Guarded by the lock of the field that has it.
@usableFromInline
package class FieldRelation {
    init() {}

    /// Whether the field is the other side of a key and not loaded: then it refers to nothing.
    @usableFromInline
    var isUnloaded: Bool { false }
}
