/// A committed change on its way to the observers.
///
/// It has no reference of its own: what is trivial to copy for simple values is copied quickly where nothing waits.
@usableFromInline
struct Change<Value: Equatable & Sendable>: Sendable {
    @usableFromInline var old: Value?
    @usableFromInline var new: Value?
    /// Whether the values differ.
    @usableFromInline var isChange: Bool
    /// Whether it stands for several commits, whose first and last values are still to be compared.
    @usableFromInline var isJoined = false
    /// Whether it is one also if the values are equal.
    @usableFromInline var isForced = false
    /// The revision of the last of its commits.
    @usableFromInline var revision: UInt64
    @usableFromInline var cause = Cause()

    @inlinable @inline(__always)
    init(old: Value?, new: Value?, isChange: Bool, revision: UInt64) {
        self.old = old
        self.new = new
        self.isChange = isChange
        self.revision = revision
    }

    /// Whether it is what an observer is given when it is added, which no commit has made.
    var isFirst: Bool { revision == 0 }

    /// Lets it begin at an older value.
    ///
    /// No value is compared, so this may be done under a lock.
    @inlinable
    mutating func join(from old: Value?) {
        self.old = old
        isJoined = true
    }
}

/// A change with its edits.
@usableFromInline
struct Queued<Value: Equatable & Sendable>: Sendable {
    @usableFromInline var change: Change<Value>
    /// The edits that lead from the old array to the new, if it is an array and they are known.
    @usableFromInline var script: EditScript?

    /// Lets it stand for those before it, too.
    mutating func join(_ older: [Queued]) {
        guard let oldest = older.first else { return }
        change.join(from: oldest.change.old)
        if older.contains(where: { $0.change.isForced }) { change.isForced = true }
        script = .reset
    }
}

/// The start of what was not delivered to observers yet.
///
/// An object, guarded by the lock of the field: values in the middle of a field's state would make
/// it dear to set up.
@usableFromInline
final class Withheld<Value: Equatable & Sendable> {
    @usableFromInline let old: Value?
    /// The edits since, if all are known.
    @usableFromInline var script: EditScript?
    /// Whether there is a change also if the values are equal.
    @usableFromInline var isForced: Bool

    @inlinable
    init(old: Value?, script: EditScript?, isForced: Bool) {
        self.old = old
        self.script = script
        self.isForced = isForced
    }
}

extension ArrayChange {
    init(_ change: Change<[Element]>, _ script: EditScript) {
        self.init(old: change.old ?? [], new: change.new ?? [], script: script)
    }
}

extension Change {
    /// Finds the edits of a change of an array if they are not known, and keeps them for others.
    ///
    /// No lock may be held.
    ///
    /// - Returns: The script; nil when nothing has changed.
    func resolve<Element>(_ script: inout EditScript?) -> EditScript?
    where Value == [Element], Element: Equatable & Sendable {
        if isFirst { return .reset }
        let (before, after) = (old ?? [], new ?? [])
        if let known = script, known.kind != .unknown {
            // A joined change may lead back to where it began.
            return !isChange && before.elementsEqual(after, by: isSame) ? nil : known
        }
        guard let edits = ArrayDiff.edits(from: before, to: after) else {
            script = .reset
            return script
        }
        script = ArrayEditScript(edits, count: after.count)
        return edits.isEmpty ? nil : script
    }
}
