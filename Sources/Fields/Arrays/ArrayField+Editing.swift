// Each of these is one set, of which observers receive one edit or several, or it is none: then
// nothing is set and nobody is notified.

extension ArrayField {
    /// Adds an element at the end.
    ///
    /// A nil value becomes an array. On average it takes the same time in every array, unless
    /// somebody has the old one, of which a copy is made then: who holds its `value`, a field that is
    /// bound, an observer of old and new values, of edits, on the main thread or on a queue, and
    /// every observer where another call of an observer sets this.
    ///
    /// - Returns: Whether it was added: false when it is there and may not be there twice.
    @discardableResult
    public func append(_ element: Element) -> Bool {
        guard allowsDuplicates, elementDomain == nil else {
            return append(contentsOf: CollectionOfOne(element))
        }
        defer { admitAnew(since: nil) }
        return edit(
            { $0.append(element) },
            script: { count in [.insert(element, at: count - 1)] }
        ) == true
    }

    /// Adds elements at the end.
    ///
    /// A nil value becomes an array.
    ///
    /// - Returns: Whether any was added.
    @discardableResult
    public func append(contentsOf elements: some Sequence<Element>) -> Bool {
        admitting(elements) { added in
            if !allowsDuplicates { return insert(added, at: nil) }
            return edit(
                { $0 += added },
                script: { count in Self.insertions(of: added, at: count - added.count) }
            ) == true
        }
    }

    /// Adds an element before the one at an index, or at the end if the index is the count.
    ///
    /// - Returns: Whether it was added: false when the index is outside, or when it is there and may
    ///   not be there twice.
    @discardableResult
    public func insert(_ element: Element, at index: Int) -> Bool {
        insert(contentsOf: CollectionOfOne(element), at: index)
    }

    /// Adds elements before the one at an index, or at the end if the index is the count.
    ///
    /// - Returns: Whether any was added: false also when the index is outside.
    @discardableResult
    public func insert(contentsOf elements: some Sequence<Element>, at index: Int) -> Bool {
        admitting(elements) { insert($0, at: index) }
    }

    /// Removes the element at an index.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func remove(at index: Int) -> Bool {
        editOnce { elements, _ in
            elements.indices.contains(index) ? .remove(elements[index], at: index) : nil
        }
    }

    /// Removes the first element that equals the given one.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func removeFirst(_ element: Element) -> Bool {
        editOnce { elements, _ in
            elements.firstIndex(of: element).map { .remove(elements[$0], at: $0) }
        }
    }

    /// Removes all elements.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    public func removeAll() -> Bool {
        // Where nobody knows whether there are any, that is reported.
        editOnce { elements, _ in elements.isEmpty && !isUnloadedRelation ? nil : .reset([]) }
    }

    /// Removes the elements that a closure finds.
    ///
    /// The closure runs again when the field was set meanwhile, so it should not set it.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows -> Bool {
        while true {
            let seen = look()
            var kept: [Element] = []
            var edits: [ArrayEdit<Element>] = []
            for element in seen.elements {
                if try shouldBeRemoved(element) {
                    edits.append(.remove(element, at: kept.count))
                } else {
                    kept.append(element)
                }
            }
            if edits.isEmpty {
                keep(seen)
                return false
            }
            for case .remove(let element, at: _) in edits { seen.index?.remove(element) }
            let isMade = edit(
                at: seen.revision,
                knowing: seen.index,
                { $0 = kept },
                script: { _ in edits }
            )
            if let isMade { return isMade }
        }
    }

    /// Replaces the element at an index.
    ///
    /// - Returns: Whether it was replaced: false when the index is outside, when the same element is
    ///   there already, or when it is elsewhere and may not be there twice.
    @discardableResult
    public func replace(at index: Int, with element: Element) -> Bool {
        admitting(CollectionOfOne(element)) { added in
            editOnce { elements, known in
                guard elements.indices.contains(index), let element = added.first else {
                    return nil
                }
                let old = elements[index]
                if isSame(old, element) { return nil }
                if !allowsDuplicates {
                    let index = known ?? ElementIndex(elements)
                    known = index
                    if !index.insert(element) { return nil }
                }
                return .replace(old, with: element, at: index)
            }
        }
    }

    /// Takes the element at an index out and puts it in at another, which is its index afterwards.
    ///
    /// - Returns: Whether the array is another than before: false when an index is outside.
    @discardableResult
    public func move(from start: Int, to end: Int) -> Bool {
        editOnce { elements, _ in
            guard elements.indices.contains(start), elements.indices.contains(end) else {
                return nil
            }
            let passed = elements[min(start, end)...max(start, end)]
            if zip(passed, passed.dropFirst()).allSatisfy(isSame) { return nil }
            return .move(elements[start], from: start, to: end)
        }
    }
}
