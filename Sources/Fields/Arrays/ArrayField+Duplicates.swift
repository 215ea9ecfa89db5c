extension ArrayField {
    /// The first of those elements that are the same.
    ///
    /// It runs `==` and `hash` of the element.
    static func withoutDuplicates(_ elements: [Element]) -> [Element] {
        let index = ElementIndex<Element>()
        let kept = elements.filter { index.insert($0) }
        return kept.count == elements.count ? elements : kept
    }

    /// Drops the index, which would keep elements alive that are replaced.
    func forgetIndex() {
        let stale = lock.withLock {
            let stale = known
            known = nil
            return stale
        }
        withExtendedLifetime(stale) {}
    }

    /// Adds those elements that are not there, before the one at an index or at the end.
    ///
    /// - Returns: Whether any was added.
    func insertNew(_ elements: [Element], at index: Int?) -> Bool {
        while true {
            var seen = look()
            let place = index ?? seen.elements.count
            guard place >= 0, place <= seen.elements.count else {
                keep(seen)
                return false
            }
            let known = seen.index ?? ElementIndex(seen.elements)
            seen.index = known
            let new = elements.filter { known.insert($0) }
            if new.isEmpty {
                keep(seen)
                return false
            }
            // Before the edit, which otherwise would have to copy them.
            seen.elements = []
            let outcome = edit(
                at: seen.revision,
                knowing: known,
                { $0.insert(contentsOf: new, at: place) },
                script: { _ in Self.insertions(of: new, at: place) }
            )
            if let isMade = outcome.isMade { return isMade }
        }
    }
}
