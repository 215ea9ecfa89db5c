/// A change of an array and the edits that make it up.
///
/// ```swift
/// tags.observeEdits(list) { list, change in
///     list.update(with: change.edits)
/// }
/// ```
///
/// A value of nil counts as an array without elements.
public struct ArrayChange<Element: Equatable & Sendable>: Sendable, Equatable {
    /// The array before: the new one of the change before.
    public let old: [Element]
    public let new: [Element]
    /// What leads from the old array to the new, applied one after the other.
    ///
    /// A `.reset` is always alone.
    public let edits: [ArrayEdit<Element>]

    package init(old: [Element], new: [Element], edits: [ArrayEdit<Element>]) {
        (self.old, self.new, self.edits) = (old, new, edits)
    }

    /// Applies the edits to a copy of the old array, which becomes one of the new.
    ///
    /// - Throws: If it is no copy of the old array, as far as the edits show it; it is left as it was.
    public func apply(to mirror: inout [Element]) throws(ArrayEditError) {
        for (index, edit) in edits.enumerated() {
            do {
                try edit.apply(to: &mirror)
            } catch {
                for done in edits[..<index].reversed() { try done.inverse?.apply(to: &mirror) }
                throw error
            }
        }
    }
}

extension ArrayChange {
    /// The first array there is.
    package init(first new: [Element]) {
        (old, self.new, edits) = ([], new, [.reset(new)])
    }

    /// What leads from one array to another.
    package init(from old: [Element], to new: [Element]) {
        (self.old, self.new) = (old, new)
        edits = ArrayDiff.edits(from: old, to: new) ?? [.reset(new)]
    }

    init(old: [Element], new: [Element], script: EditScript) {
        self.old = old
        self.new = new
        if script.kind == .edits {
            // The changes of a field have scripts of its element type.
            edits = unsafeDowncast(script, to: ArrayEditScript<Element>.self).edits
        } else {
            edits = [.reset(new)]
        }
    }
}
