/// The latest edits of an array field, by the revisions between which they lead.
///
/// There is one while somebody makes another array of the field's step by step. It is guarded by the
/// field's lock; what it forgets is handed out, as releasing an element may run code of the user.
struct EditJournal<Element: Equatable & Sendable> {
    private struct Entry {
        let before: UInt64
        let after: UInt64
        let script: ArrayEditScript<Element>
    }

    /// Each begins where the one before ends.
    private var entries: [Entry] = []
    private var count = 0
    /// Whether somebody has asked since some of them were forgotten.
    private var isAsked = true

    /// Notes an edit; what was noted before is of no use where something else was set in between.
    ///
    /// - Returns: Whether it is still needed, and what it forgets.
    mutating func append(
        _ script: EditScript,
        from before: UInt64,
        to after: UInt64
    ) -> (isNeeded: Bool, forgotten: [AnyObject]) {
        var forgotten: [AnyObject] = []
        if script.kind != .edits || entries.last.map({ $0.after != before }) ?? false {
            forgotten = entries.map(\.script)
            (entries, count) = ([], 0)
            if script.kind != .edits { return (true, forgotten) }
        }
        // The field makes scripts of its element type.
        let script = unsafeDowncast(script, to: ArrayEditScript<Element>.self)
        entries.append(Entry(before: before, after: after, script: script))
        count += script.edits.count
        if count <= Self.limit { return (true, forgotten) }
        if !isAsked { return (false, forgotten) }
        isAsked = false
        let half = entries.count / 2
        forgotten += entries[..<half].map(\.script) as [AnyObject]
        count -= entries[..<half].reduce(0) { $0 + $1.script.edits.count }
        entries.removeFirst(half)
        return (true, forgotten)
    }

    /// The edits since a revision; nil where they are not known.
    mutating func edits(from before: UInt64, to after: UInt64) -> [ArrayEdit<Element>]? {
        isAsked = true
        if before == after { return [] }
        guard entries.last?.after == after,
            let start = entries.lastIndex(where: { $0.before == before })
        else { return nil }
        if start == entries.count - 1 { return entries[start].script.edits }
        return entries[start...].flatMap(\.script.edits)
    }

    /// With more edits than these it is quicker to make an array anew.
    static var limit: Int { 512 }
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
        if journal == nil { journal = EditJournal() }
        let edits = revision.flatMap { journal?.edits(from: $0, to: lastRevision) }
        return (storage, lastRevision, edits)
    }

    /// Whether somebody is to be told what an edit does.
    ///
    /// The lock must be held.
    var tellsEdits: Bool { journal != nil || details?.tellsEdits ?? false }

    /// Notes what has led from a revision to the last.
    ///
    /// The lock must be held.
    ///
    /// - Returns: What is forgotten, to be released without the lock.
    func note(_ script: EditScript?, since before: UInt64) -> [AnyObject] {
        guard let script,
            let (isNeeded, forgotten) = journal?.append(script, from: before, to: lastRevision)
        else { return [] }
        if isNeeded { return forgotten }
        let stale = journal?.scripts ?? []
        journal = nil
        return forgotten + stale
    }
}

extension EditJournal {
    fileprivate var scripts: [AnyObject] { entries.map(\.script) }
}
