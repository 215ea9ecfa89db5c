extension ArrayField {
    /// The first of those elements that are the same.
    ///
    /// It runs `==` and `hash` of the element.
    static func withoutDuplicates(_ elements: [Element]) -> [Element] {
        let index = ElementIndex<Element>()
        let kept = elements.filter { index.insert($0) }
        return kept.count == elements.count ? elements : kept
    }

    /// Adds elements, before the one at an index or at the end: all, or those that are not there.
    ///
    /// - Returns: Whether any was added.
    func insert(_ elements: [Element], at index: Int?) -> Bool {
        while true {
            var seen = look()
            let place = index ?? seen.elements.count
            // Where nobody knows how many there are, that is reported.
            guard place >= 0, place <= seen.elements.count || isUnloadedRelation else {
                keep(seen)
                return false
            }
            var new = elements
            if !allowsDuplicates {
                let known = seen.index ?? ElementIndex(seen.elements)
                seen.index = known
                // Mostly all are new, and nothing is to be moved.
                if let place = new.firstIndex(where: { !known.insert($0) }) {
                    new = new[..<place] + new[(place + 1)...].filter { known.insert($0) }
                }
            }
            if new.isEmpty {
                keep(seen)
                return false
            }
            // Before the edit, which otherwise would have to copy them.
            seen.elements = []
            let isMade = edit(
                at: seen.revision,
                knowing: seen.index,
                {
                    // Of members that are not loaded some may have been freed meanwhile.
                    let place = index ?? $0.count
                    if place <= $0.count { $0.insert(contentsOf: new, at: place) }
                },
                script: { _ in Self.insertions(of: new, at: place) }
            )
            if let isMade { return isMade }
        }
    }
}
