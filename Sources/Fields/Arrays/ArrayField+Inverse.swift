extension ArrayField {
    /// `edit` for a field of a relation.
    func editRelated<Removed>(
        at expected: UInt64?,
        knowing index: ElementIndex<Element>?,
        _ custom: Stamp?,
        _ body: (inout [Element]) -> Removed,
        _ script: (_ count: Int) -> [ArrayEdit<Element>]
    ) -> Bool? {
        guard let inverse = relation else { return false }
        var isMade: Bool? = false
        var isUnknown = false
        var outflow = InverseOutflow()
        let revision = withoutActuallyEscaping(body) { body in
            withoutActuallyEscaping(script) { script in
                commitRelated(inverse, RelatedStamp(custom: custom), &outflow) {
                    seen,
                    unloaded,
                    revision in
                    var elements = seen ?? []
                    isUnknown = inverse.isDerived && inverse.isApart && unloaded != nil
                    isMade = isUnknown ? false : expected ?? revision == revision ? true : nil
                    if isMade != true { return nil }
                    if inverse.isDerived, let unloaded {
                        // Those that have the owner are there, in no order that anybody knows.
                        elements = unloaded.objects.compactMap { $0 as? Element }
                        let before = elements
                        _ = body(&elements)
                        let edit = replacement(inverse, elements, of: before, nil)
                        isMade = !edit.removed.isEmpty || !edit.added.isEmpty
                        if isMade == false { return nil }
                        return RelatedEdit(
                            removed: edit.removed,
                            added: edit.added,
                            perform: nil,
                            isUnloaded: true
                        )
                    }
                    let count = elements.count
                    let found =
                        unloaded == nil ? changes(script(count), elements, at: revision) : nil
                    guard let changes = found, changes.isDistinct else {
                        _ = body(&elements)
                        let kept = inverse.shape.distinct(elements)
                        // Nothing is left of an edit that takes one out to put in one that is there.
                        if found != nil, kept.count <= count { isMade = false }
                        if isMade == false { return nil }
                        return replacement(inverse, kept, of: seen, unloaded)
                    }
                    return RelatedEdit(removed: changes.removed, added: changes.added) { value in
                        var elements = value ?? []
                        value = nil
                        let removed = body(&elements)
                        let count = elements.count
                        value = elements
                        return (
                            removed as Any, true,
                            ArrayEditScript.script(script(count), count: count)
                        )
                    }
                }
            }
        }
        if isUnknown { reportUnloaded("was edited in a draft; load it, and rebase the draft") }
        if let revision { keepIndex(index, of: revision) }
        deliver(outflow)
        return isMade
    }

    /// Puts in those of some objects that it has not, which have its owner already.
    ///
    /// Unless all was known before, there may be more of them: observers see it as incomplete.
    ///
    /// - Returns: Whether that was done; it is not in a field that is unloaded, or no side of a relation.
    package final func join(_ objects: [Element]) -> Bool {
        guard let inverse = relation else { return false }
        let custom = FieldClock.overriddenStamp()
        let stamp = RelatedStamp(custom: custom, hasOwnTime: custom != nil)
        var outflow = InverseOutflow()
        var isDone = false
        _ = commitRelated(inverse, stamp, &outflow) { seen, unloaded, _ in
            isDone = unloaded == nil
            let elements = seen ?? []
            let joined = inverse.shape.distinct(elements + objects)
            guard isDone, joined.count > elements.count else { return nil }
            var edit = replacement(inverse, joined, of: seen, nil)
            edit.isPartial = true
            return edit
        }
        deliver(outflow)
        return isDone
    }

    /// Which objects an edit takes out and which it puts in, and whether these were not there; nil
    /// where only the arrays say.
    private func changes(
        _ edits: [ArrayEdit<Element>],
        _ elements: [Element],
        at revision: UInt64
    ) -> (removed: [RelatedObject], added: [RelatedObject], isDistinct: Bool)? {
        var removed: [Element] = []
        var added: [Element] = []
        for edit in edits {
            switch edit {
            case .insert(let element, at: _): added.append(element)
            case .remove(let element, at: _): removed.append(element)
            case .replace(let old, with: let new, at: _):
                removed.append(old)
                added.append(new)
            case .move: break
            case .reset: return nil
            }
        }
        guard let inverse = relation else { return nil }
        let shape = inverse.shape
        let objects = shape.objects(added)
        let isDistinct =
            shape.distinct(added).count == added.count
            && !objects.contains { has($0, in: elements, at: revision, inverse) }
        return (shape.objects(removed), objects, isDistinct)
    }

    /// Keeps the index of the elements as they are after a commit.
    private func keepIndex(_ index: ElementIndex<Element>?, of revision: UInt64) {
        let stale = lock.withLock {
            defer { known = lastRevision == revision ? index : nil }
            index?.revision = revision
            return known
        }
        withExtendedLifetime(stale) {}
    }
}
