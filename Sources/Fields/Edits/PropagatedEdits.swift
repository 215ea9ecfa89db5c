/// The edits that have made the array of a propagation of another one.
@usableFromInline
final class PropagatedEdits<Value: Equatable & Sendable>: Sendable {
    /// Kept alive, so that no other array is where this one was.
    private let old: Value?
    private let new: Value?
    private let script: EditScript

    @usableFromInline
    init(from old: Value?, to new: Value?, _ script: EditScript) {
        (self.old, self.new, self.script) = (old, new, script)
    }

    /// The edits between two values of a field, if these are the arrays that they lead between.
    ///
    /// It may be asked under a lock.
    @usableFromInline
    func script(from before: Value?, to after: Value?) -> EditScript? {
        isIdentical(old, before) && isIdentical(new, after) ? script : nil
    }
}
