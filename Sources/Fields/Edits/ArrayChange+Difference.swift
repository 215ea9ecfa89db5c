extension ArrayChange {
    /// The edits as one step, with the indices of the old array for what is removed and those of the
    /// new one for what is inserted: as list views want them that change all rows at once.
    ///
    /// ```swift
    /// tags.onMain.observeEdits(list) { list, change in
    ///     for step in change.difference { list.animate(step) }
    /// }
    /// ```
    ///
    /// What was moved is removed and inserted, each with the other's index; what was replaced is
    /// too, with none. A reset removes all there was and inserts all there is. It is made from the
    /// edits whenever it is asked for; no elements are compared. Each edit takes time for the whole
    /// array.
    public var difference: CollectionDifference<Element> {
        var places = old.indices.map { Slot(origin: $0) }
        for edit in edits { edit.follow(in: &places) }
        var changes: [CollectionDifference<Element>.Change] = []
        var targets = [Target](repeating: .removed, count: old.count)
        for (offset, place) in places.enumerated() {
            if let origin = place.origin {
                targets[origin] = place.isMoved ? .moved(offset) : .kept
                if !place.isMoved { continue }
            }
            let origin = place.origin
            changes.append(.insert(offset: offset, element: new[offset], associatedWith: origin))
        }
        for (offset, target) in targets.enumerated() {
            switch target {
            case .kept: continue
            case .removed:
                changes.append(.remove(offset: offset, element: old[offset], associatedWith: nil))
            case .moved(let end):
                changes.append(.remove(offset: offset, element: old[offset], associatedWith: end))
            }
        }
        // No offset is named twice and each association both ways, which is all that is checked.
        return CollectionDifference(changes) ?? new.difference(from: old) { _, _ in false }
    }
}

/// What is at an index while edits are followed.
private struct Slot {
    /// The index in the old array; nil of what was inserted.
    let origin: Int?
    var isMoved = false
}

/// Where an element of the old array is in the new one.
private enum Target {
    case kept, removed
    case moved(Int)
}

extension ArrayEdit {
    fileprivate func follow(in places: inout [Slot]) {
        switch self {
        case .insert(_, at: let index): places.insert(Slot(origin: nil), at: index)
        case .remove(_, at: let index): places.remove(at: index)
        case .replace(_, with: _, at: let index): places[index] = Slot(origin: nil)
        case .move(_, from: let start, to: let end):
            var place = places.remove(at: start)
            place.isMoved = true
            places.insert(place, at: end)
        case .reset(let elements):
            places = elements.map { _ in Slot(origin: nil) }
        }
    }
}
