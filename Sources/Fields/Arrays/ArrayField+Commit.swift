extension ArrayField {
    /// Edits the array in place and notifies the observers, unless a revision is given and the field was
    /// set since.
    ///
    /// The closures are ours and run no code of the user, so they run under the lock.
    ///
    /// - Parameters:
    ///   - revision: The revision that the field must have.
    ///   - index: The index of the elements as they will be.
    ///   - body: Makes the edit. What it removes it returns, to be released after the lock.
    ///   - script: Says what was done, from how many elements there are.
    /// - Returns: Whether the array is another than before; nil where the field was set since.
    func edit<Removed>(
        at revision: UInt64? = nil,
        knowing index: ElementIndex<Element>? = nil,
        _ body: (inout [Element]) -> Removed,
        script: (_ count: Int) -> [ArrayEdit<Element>]
    ) -> Bool? {
        let custom = FieldClock.overriddenStamp()
        lock.lock()
        if !traits.isEmpty, state?.domain != nil || traits.contains(.equality) {
            lock.unlock()
            return editSpecially(at: revision, custom, body, script)
        }
        if traits.contains(.related) {
            lock.unlock()
            if becomesRelated() {
                return editRelated(at: revision, knowing: index, custom, body, script)
            }
            lock.lock()
        }
        var elements = storage ?? []
        if let revision, revision != lastRevision {
            lock.unlock()
            return nil
        }
        // Where nobody asks for the old array, the edit needs no copy of it.
        let old = state.map(needsOld) ?? false ? storage : nil
        storage = nil
        let removed = body(&elements)
        storage = elements
        let next = Revision.next()
        let stale = known
        index?.revision = next
        known = index
        defer { withExtendedLifetime((removed, stale)) {} }
        notifyEdit(from: old, to: elements, isChange: true, next, custom, script)
        return true
    }

    /// Whether somebody is to be given the array as it is before an edit.
    ///
    /// The lock must be held.
    private func needsOld(_ state: FieldState<[Element]>) -> Bool {
        // Those bound hold it anyway.
        if !state.bindings.isEmpty { return true }
        if state.observers.isEmpty { return false }
        // A batch keeps where it began.
        if let loop = DeliveryLoop.current, loop.pointee.batchDepth > 0 {
            return state.withheld == nil
        }
        // A change that waits may be joined with others.
        return mayDeliverNow(state) == nil
            || state.observers.contains {
                // A field takes only observers of its own value type.
                unsafeDowncast($0, to: Observer<[Element]>.self).takesOld
            }
    }

    /// Notifies of an edit that is stored.
    ///
    /// Unlocks; the lock must be held.
    private func notifyEdit(
        from old: [Element]?,
        to elements: [Element],
        isChange: Bool,
        _ revision: UInt64,
        _ custom: Stamp?,
        _ script: (_ count: Int) -> [ArrayEdit<Element>]
    ) {
        let stamp = custom ?? Stamp.system()
        if custom != nil { updated = .none }
        let before = editRevision
        noteCommit(revision, stamp, changed: isChange)
        let edits =
            reportsEdits
            ? ArrayEditScript.script(script(elements.count), count: elements.count) : nil
        let forgotten = note(edits, since: before)
        defer { withExtendedLifetime(forgotten) {} }
        guard let state else { return lock.unlock() }
        let isDelivered = !state.observers.isEmpty || !state.bindings.isEmpty
        let change = Change(
            old: old,
            new: isDelivered ? elements : nil,
            isChange: isChange,
            revision: revision
        )
        notify(change, edits, state, stamp)
    }

    /// `edit` for a field with a domain or an equality of its own: what comes of it is set like any
    /// other value if the domain takes another in its place, and that differs.
    private func editSpecially<Removed>(
        at expected: UInt64?,
        _ custom: Stamp?,
        _ body: (inout [Element]) -> Removed,
        _ script: (_ count: Int) -> [ArrayEdit<Element>]
    ) -> Bool? {
        while true {
            let (before, revision) = lock.withLock { (storage, lastRevision) }
            var elements = before ?? []
            if let expected, expected != revision { return nil }
            let removed = body(&elements)
            defer { withExtendedLifetime((before, removed)) {} }
            if !lock.withLock({ traits.contains(.related) }) {
                guard let taken = lockTaking(elements, unless: { $0 != revision }) else { continue }
                defer { withExtendedLifetime(taken) {} }
                if !taken.isCoerced {
                    storage = taken.value
                    let next = Revision.next()
                    notifyEdit(
                        from: before,
                        to: taken.value ?? [],
                        isChange: taken.isChange,
                        next,
                        custom,
                        script
                    )
                    return true
                }
                lock.unlock()
            }
            guard differs(normalise(elements), before ?? []) else { return false }
            if commit(elements, at: revision) != nil { return true }
        }
    }

    /// Makes the edit that a closure finds in the elements; none when it finds none.
    ///
    /// The closure may run code of the user, so it runs without the lock, and again when the field
    /// was set meanwhile. It is given the index of the elements, if there is one, and may add the
    /// new element.
    func editOnce(
        _ find: (
            _ elements: [Element], _ known: inout ElementIndex<Element>?
        ) -> ArrayEdit<Element>?
    ) -> Bool {
        while true {
            var seen = look()
            guard let edit = find(seen.elements, &seen.index) else {
                keep(seen)
                return false
            }
            switch edit {
            case .remove(let element, at: _), .replace(let element, with: _, at: _):
                seen.index?.remove(element)
            case .reset: seen.index = nil
            case .insert, .move: break
            }
            // Before the edit, which otherwise would have to copy them.
            seen.elements = []
            let isMade = self.edit(
                at: seen.revision,
                knowing: seen.index,
                { edit.perform(on: &$0) },
                script: { _ in [edit] }
            )
            if let isMade { return isMade }
        }
    }

    /// What an edit is found by.
    struct Seen {
        var elements: [Element]
        let revision: UInt64
        /// Of no other use than to look elements up, and out of the field while it is used.
        var index: ElementIndex<Element>?
        let reportsEdits: Bool
    }

    func look() -> Seen {
        lock.lock()
        let taken = known.take()
        let unloaded = traits.contains(.related) && lacksMembers ? state?.inverse?.unloaded : nil
        var seen = Seen(
            elements: storage ?? [],
            revision: lastRevision,
            index: taken?.revision == lastRevision ? taken : nil,
            reportsEdits: reportsEdits
        )
        lock.unlock()
        withExtendedLifetime(taken) {}
        if let unloaded { seen.elements = unloaded.objects.compactMap { $0 as? Element } }
        return seen
    }

    /// Puts the index back where nothing was edited.
    func keep(_ seen: Seen) {
        guard let index = seen.index else { return }
        lock.withLock {
            index.revision = seen.revision
            if known == nil, lastRevision == seen.revision { known = index }
        }
    }

    static func insertions(of elements: [Element], at index: Int) -> [ArrayEdit<Element>] {
        elements.enumerated().map { .insert($1, at: index + $0) }
    }
}
