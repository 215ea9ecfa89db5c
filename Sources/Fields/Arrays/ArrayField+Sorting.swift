extension ArrayField {
    /// Sorts the elements by a closure that says whether the first comes before the second.
    ///
    /// Equal elements keep their order. Observers of edits receive moves, or a reset if there
    /// are many. The closure runs again when the field was set meanwhile, so it should not set it.
    ///
    /// - Returns: Whether the array is another than before.
    @discardableResult
    public func sort(
        by areInIncreasingOrder: (Element, Element) throws -> Bool
    ) rethrows -> Bool {
        while true {
            var seen = look()
            let elements = seen.elements
            let order = try elements.indices.sorted {
                try areInIncreasingOrder(elements[$0], elements[$1])
            }
            let sorted = order.map { elements[$0] }
            if sorted.elementsEqual(elements, by: isSame) {
                keep(seen)
                return false
            }
            let moves = seen.reportsEdits ? Moves.leading(to: order) : nil
            let edits = moves?.map {
                ArrayEdit.move(elements[$0.element], from: $0.from, to: $0.to)
            }
            seen.elements = []
            let isMade = edit(
                at: seen.revision,
                knowing: seen.index,
                { $0 = sorted },
                script: { _ in edits ?? [.reset(sorted)] }
            )
            if let isMade { return isMade }
        }
    }
}

extension ArrayField where Element: Comparable {
    /// Sorts the elements, the least first.
    ///
    /// - Returns: Whether the array is another than before.
    @discardableResult
    public func sort() -> Bool { sort(by: <) }
}
