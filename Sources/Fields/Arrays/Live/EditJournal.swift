/// The latest edits of an array field, by the revisions between which they lead.
///
/// There is one while others are made of the array step by step, and it has what they have not followed
/// yet. It is guarded by the field's lock; what it forgets is handed out, as releasing an element may run
/// code of the user.
struct EditJournal<Element: Equatable & Sendable> {
    private struct Entry {
        let before: UInt64
        let after: UInt64
        let script: ArrayEditScript<Element>
    }

    /// Each begins where the one before ends.
    private var entries: [Entry] = []
    /// How many edits there are in all of them.
    private var count = 0
    /// Up to which revision each reader has followed.
    private var marks: [ObjectIdentifier: UInt64] = [:]

    /// With more edits than these it is quicker to make an array anew: each takes time for all of it.
    static var limit: Int { 64 }

    /// Whether nobody reads it.
    var isUnread: Bool { marks.isEmpty }

    /// All that is in it.
    var scripts: [AnyObject] { entries.map(\.script) }

    /// Notes an edit; what was noted before is of no use where something else was set in between.
    ///
    /// - Returns: Whether the journal is of use still, and what it forgets.
    mutating func append(
        _ script: EditScript,
        from before: UInt64,
        to after: UInt64
    ) -> (isOfUse: Bool, forgotten: [AnyObject]) {
        var forgotten: [AnyObject] = []
        if entries.last.map({ $0.after != before }) ?? false {
            forgotten = scripts
            (entries, count) = ([], 0)
        }
        if script.kind != .edits { return (false, forgotten) }
        // The field makes scripts of its element type.
        let script = unsafeDowncast(script, to: ArrayEditScript<Element>.self)
        entries.append(Entry(before: before, after: after, script: script))
        count += script.edits.count
        return (count <= Self.limit, forgotten)
    }

    /// The edits since a revision; nil where they are not known.
    func edits(from before: UInt64, to after: UInt64) -> [ArrayEdit<Element>]? {
        if before == after { return [] }
        guard entries.last?.after == after,
            let start = entries.lastIndex(where: { $0.before == before })
        else { return nil }
        return entries[start...].flatMap(\.script.edits)
    }

    /// Notes up to which revision a reader has followed; nil if it follows no longer.
    ///
    /// - Returns: What nobody needs any more.
    mutating func note(_ reader: ObjectIdentifier, at revision: UInt64?) -> [AnyObject] {
        marks[reader] = revision
        let first = marks.values.min() ?? .max
        let read = entries.prefix { $0.after <= first }
        entries.removeFirst(read.count)
        count -= read.reduce(0) { $0 + $1.script.edits.count }
        return read.map(\.script)
    }
}

extension ArrayField {
    /// The elements, what revision they have, and the edits that have led to them since another, where
    /// they are known.
    ///
    /// A computation that runs has read the field then.
    func read(
        since revision: UInt64?
    ) -> (elements: [Element]?, revision: UInt64, edits: [ArrayEdit<Element>]?) {
        // What is noted there is not newer than what is taken below.
        _ = value
        lock.lock()
        defer { lock.unlock() }
        let edits = revision.flatMap { journal?.edits(from: $0, to: editRevision) }
        return (storage, editRevision, edits)
    }

    /// Has the edits kept that come after a revision, for a reader; nil if it follows no longer.
    func follow(_ reader: ObjectIdentifier, from revision: UInt64?) {
        let forgotten = lock.withLock { () -> [AnyObject] in
            if journal == nil, revision == nil { return [] }
            var journal = journal ?? EditJournal()
            let forgotten = journal.note(reader, at: revision)
            self.journal = journal.isUnread ? nil : journal
            return forgotten
        }
        withExtendedLifetime(forgotten) {}
    }

    /// The revision of the elements: that of another default value, where there is no set.
    ///
    /// The lock must be held.
    var editRevision: UInt64 { lastRevision == 0 ? lastChange : lastRevision }

    /// Whether somebody is to be notified of what an edit does.
    ///
    /// The lock must be held.
    var reportsEdits: Bool { journal != nil || details?.reportsEdits ?? false }

    /// Notes what has led from a revision to the last.
    ///
    /// The lock must be held.
    ///
    /// - Returns: What is forgotten, to be released without the lock.
    func note(_ script: EditScript?, since before: UInt64) -> [AnyObject] {
        guard let script,
            let (isOfUse, forgotten) = journal?.append(script, from: before, to: lastRevision)
        else { return [] }
        if isOfUse { return forgotten }
        // Whoever has not followed by now makes its array anew.
        let stale = journal?.scripts ?? []
        journal = nil
        return forgotten + stale
    }
}
