/// What came of an edit.
enum EditOutcome {
    case made
    /// There was nothing to do: the condition failed, or the array would stay as it is.
    case refused
    /// The field was set since the revision that was given.
    case overtaken

    /// Whether it was made; nil where it has to be tried again.
    var isMade: Bool? {
        switch self {
        case .made: true
        case .refused: false
        case .overtaken: nil
        }
    }
}

extension ArrayField {
    /// Edits the array in place and tells the observers, unless the condition fails or, if a
    /// revision is given, the field was set since.
    ///
    /// The closures are ours and run no code of the user, so they run under the lock.
    ///
    /// - Parameters:
    ///   - revision: The revision that the field must have.
    ///   - index: The index of the elements as they will be.
    ///   - condition: Whether the edit is to be made.
    ///   - body: Makes the edit. What it removes it returns, to be released after the lock.
    ///   - script: Tells what was done, from how many elements there are.
    /// - Returns: What came of it.
    func edit<Removed>(
        at revision: UInt64? = nil,
        knowing index: ElementIndex<Element>? = nil,
        where condition: ([Element]) -> Bool = { _ in true },
        _ body: (inout [Element]) -> Removed,
        script: (_ count: Int) -> [ArrayEdit<Element>]
    ) -> EditOutcome {
        let custom = FieldClock.overriddenStamp()
        lock.lock()
        if !traits.isEmpty, state?.domain != nil || traits.contains(.equality) {
            lock.unlock()
            return editSpecially(at: revision, where: condition, body)
        }
        if traits.contains(.related) {
            lock.unlock()
            if becomesRelated() {
                return editRelated(at: revision, knowing: index, custom, condition, body, script)
            }
            lock.lock()
        }
        var elements = storage ?? []
        if let revision, revision != lastRevision {
            lock.unlock()
            return .overtaken
        }
        guard condition(elements) else {
            lock.unlock()
            return .refused
        }
        let isObserved = state.map { !$0.observers.isEmpty || !$0.bindings.isEmpty } ?? false
        // Without an observer nobody asks for the old array, and the edit needs no copy of it.
        let old = isObserved ? storage : nil
        storage = nil
        let removed = body(&elements)
        storage = elements
        let stamp = custom ?? Stamp.system()
        let next = Revision.next()
        let stale = known
        index?.revision = next
        known = index
        defer {
            withExtendedLifetime(removed) {}
            withExtendedLifetime(stale) {}
        }
        if custom != nil { updated = .none }
        noteCommit(next, stamp, changed: true)
        guard let state else {
            lock.unlock()
            return .made
        }
        let change = Change(
            old: old,
            new: isObserved ? elements : nil,
            isChange: true,
            revision: next
        )
        let edits =
            isObserved && state.recordsEdits
            ? Self.script(script(elements.count), count: elements.count) : nil
        tell(change, edits, state, stamp)
        return .made
    }

    /// `edit` for a field with a domain or an equality of its own: what comes of it is set like any
    /// other value, if it differs.
    private func editSpecially<Removed>(
        at expected: UInt64?,
        where condition: ([Element]) -> Bool,
        _ body: (inout [Element]) -> Removed
    ) -> EditOutcome {
        while true {
            let (before, revision) = lock.withLock { (storage ?? [], lastRevision) }
            var elements = before
            if let expected, expected != revision { return .overtaken }
            guard condition(elements) else { return .refused }
            _ = body(&elements)
            guard differs(normalise(elements), before) else { return .refused }
            if commit(elements, at: revision) != nil { return .made }
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
            case .insert, .move, .reset: break
            }
            // Before the edit, which otherwise would have to copy them.
            seen.elements = []
            let outcome = self.edit(
                at: seen.revision,
                knowing: seen.index,
                { edit.perform(on: &$0) },
                script: { _ in [edit] }
            )
            if let isMade = outcome.isMade { return isMade }
        }
    }

    /// What an edit is found by.
    struct Seen {
        var elements: [Element]
        let revision: UInt64
        /// Of no other use than to look elements up, and out of the field while it is used.
        var index: ElementIndex<Element>?
        let recordsEdits: Bool
    }

    func look() -> Seen {
        lock.lock()
        let taken = known
        known = nil
        let seen = Seen(
            elements: storage ?? [],
            revision: lastRevision,
            index: taken?.revision == lastRevision ? taken : nil,
            recordsEdits: details?.recordsEdits ?? false
        )
        lock.unlock()
        withExtendedLifetime(taken) {}
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

    static func script(_ edits: [ArrayEdit<Element>], count: Int) -> EditScript {
        if case .reset? = edits.first { return .reset }
        return edits.count > ArrayEditScript<Element>.limit(forCount: count)
            ? .reset : ArrayEditScript(edits, count: count)
    }

    static func insertions(of elements: [Element], at index: Int) -> [ArrayEdit<Element>] {
        elements.enumerated().map { .insert($1, at: index + $0) }
    }
}
