/// The edits that lead from one array to another, of whatever element.
// Safe: it is changed only by the one that has copied it, before anyone else gets it.
@usableFromInline
class EditScript: @unchecked Sendable {
    /// Another with the same edits.
    func copy() -> EditScript { self }

    /// Adds the edits of another.
    ///
    /// - Returns: Whether it was done: not if there would be too many.
    @usableFromInline
    func append(_ other: EditScript) -> Bool { false }
}
