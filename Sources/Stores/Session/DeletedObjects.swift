import ModelKitModels

/// The objects whose records a store has deleted, or is deleting: keys are not to lead to them.
///
/// It keeps no object alive.
struct DeletedObjects {
    struct Entry {
        weak var model: (any Model)?
        /// Where another object stands, if the record was made anew.
        var key: IdentityMap.Key?
        /// How many deletions of it are under way.
        var pending = 0
        var isGone = false
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var limit = 64

    /// What is noted of an object, or of another one that was at its address.
    subscript(model: any Model) -> Entry? { entries[ObjectIdentifier(model)] }

    /// Changes what is noted of an object.
    ///
    /// - Returns: Objects that may not be released under a lock.
    mutating func change(
        _ model: any Model,
        _ body: (inout Entry) -> Void
    ) -> [(any Model)?] {
        var held: [(any Model)?] = []
        if entries.count >= limit {
            let known = entries.map { ($0.key, $0.value.model) }
            for (identity, model) in known where model == nil { entries[identity] = nil }
            limit = max(64, entries.count * 2)
            held = known.map(\.1)
        }
        let identity = ObjectIdentifier(model)
        let former = entries[identity]
        let owner = former?.model
        held.append(owner)
        // Another object may have been at its address.
        var entry = owner === model ? former ?? Entry(model: model) : Entry(model: model)
        body(&entry)
        entries[identity] = entry.pending > 0 || entry.isGone ? entry : nil
        return held
    }

    /// Notes that an object stands for a record again; it is in use, so that nothing is released by this.
    mutating func noteStored(_ model: any Model) {
        if entries.isEmpty { return }
        let identity = ObjectIdentifier(model)
        entries[identity]?.isGone = false
        if entries[identity]?.pending == 0 { entries[identity] = nil }
    }
}
