/// A field of several values, made from a field that describes one.
///
/// ```swift
/// let tags = ArrayField(Field<String>(name: "Tags").require(.notBlank))
/// let same = Field<String>(name: "Tags").require(.notBlank)*
/// tags.append("red")
/// tags.value   // ["red"]
/// ```
///
/// The inner field's rules, transformer and domain are those of each element; an issue of an element
/// has its index as path. An element that its domain replaces by nil is left out. A domain that the
/// inner field is given later does not count. Name, key and priority are the inner field's unless they are given. The value
/// starts as an empty array, unless the inner field has a default value.
// Safe: as for `Field`; it has no variable of its own.
public final class ArrayField<Element: Equatable & Sendable>: Field<[Element]>, @unchecked Sendable
{
    /// The field that describes one element.
    ///
    /// Its own value means nothing.
    public let inner: Field<Element>

    public init(
        _ inner: Field<Element>,
        name: String? = nil,
        priority: Int? = nil,
        key: FieldKey? = nil
    ) {
        self.inner = inner
        super.init(
            value: inner.value.map { [$0] } ?? [],
            name: name ?? inner.name,
            priority: priority ?? inner.priority,
            key: key ?? inner.key
        )
        if let element = inner.ownTransformer { transform(with: .array(of: element)) }
        if inner.domain != nil { traits.insert(.domain) }
    }

    public override func copy() -> ArrayField<Element> {
        let copy = ArrayField(inner.copy())
        copy.adopt(self)
        return copy
    }

    @usableFromInline
    override func normalise(_ value: [Element]?) -> [Element]? {
        guard var elements = value else { return nil }
        if let domain = inner.domain { elements = domain.nearest(toEach: elements) }
        return super.normalise(elements)
    }

    override func collectDomainIssues(
        of value: [Element],
        at path: FieldPath,
        into issues: inout [Issue]
    ) {
        if let domain = inner.domain {
            for (index, element) in value.enumerated() {
                domain.core.rule.check(element, at: path.appending(index: index), into: &issues)
            }
        }
        super.collectDomainIssues(of: value, at: path, into: &issues)
    }

    @usableFromInline
    override func collectElementIssues(
        of value: [Element]?,
        at path: FieldPath,
        into issues: inout [Issue]
    ) {
        let rules = inner.rules
        if rules.isEmpty { return }
        for (index, element) in (value ?? []).enumerated() {
            for rule in rules {
                rule.check(element, at: path.appending(index: index), into: &issues)
            }
        }
    }
}

postfix operator *

/// Makes a field of several values from a field that describes one.
public postfix func * <Element>(inner: Field<Element>) -> ArrayField<Element> {
    ArrayField(inner)
}

extension ArrayField {
    /// How many elements there are; 0 also when the value is nil.
    public var count: Int { value?.count ?? 0 }

    /// Whether an element equals the given one.
    public func contains(_ element: Element) -> Bool { value?.contains(element) ?? false }

    /// The element at an index; nil when the index is outside.
    public subscript(index: Int) -> Element? {
        guard let value, value.indices.contains(index) else { return nil }
        return value[index]
    }

    /// Adds an element at the end.
    ///
    /// A nil value becomes an array.
    ///
    /// - Returns: Whether it was added.
    @discardableResult
    public func append(_ element: Element) -> Bool {
        edit { $0.append(element) }
    }

    /// Adds an element before the one at an index, or at the end if the index is the count.
    ///
    /// - Returns: Whether it was added: false when the index is outside, where nothing is set.
    @discardableResult
    public func insert(_ element: Element, at index: Int) -> Bool {
        edit(where: { $0.indices.contains(index) || $0.count == index }) {
            $0.insert(element, at: index)
        }
    }

    /// Removes the element at an index.
    ///
    /// - Returns: Whether there was one; where there was none, nothing is set.
    @discardableResult
    public func remove(at index: Int) -> Bool {
        edit(where: { $0.indices.contains(index) }) { $0.remove(at: index) }
    }

    /// Removes the first element that equals the given one.
    ///
    /// - Returns: Whether there was one; where there was none, nothing is set.
    @discardableResult
    public func removeFirst(_ element: Element) -> Bool {
        // `==` may be code of the user, so the index is looked for without the lock.
        while true {
            let (elements, revision) = lock.withLock { (storage ?? [], lastRevision) }
            guard let index = elements.firstIndex(of: element) else { return false }
            if edit(at: revision, where: { _ in true }, { $0.remove(at: index) }) { return true }
        }
    }

    /// Removes all elements.
    ///
    /// An array without any is left alone.
    public func removeAll() {
        edit(where: { !$0.isEmpty }) { elements in
            let removed = elements
            elements = []
            return removed
        }
    }

    /// Edits the array in place and tells the observers, unless the condition fails or, if a
    /// revision is given, the field was set since.
    ///
    /// Both closures are ours and run no code of the user, so they run under the lock. What the edit
    /// removes it returns, to be released after the lock.
    @discardableResult
    private func edit<Removed>(
        at revision: UInt64? = nil,
        where condition: ([Element]) -> Bool = { _ in true },
        _ body: (inout [Element]) -> Removed
    ) -> Bool {
        let custom = FieldClock.overriddenStamp()
        lock.lock()
        if !traits.isEmpty {
            lock.unlock()
            return editSpecially(at: revision, where: condition, body)
        }
        var elements = storage ?? []
        guard condition(elements), revision == nil || revision == lastRevision else {
            lock.unlock()
            return false
        }
        let isObserved = state.map { !$0.observers.isEmpty || !$0.bindings.isEmpty } ?? false
        // Without an observer nobody asks for the old array, and the edit needs no copy of it.
        let old = isObserved ? storage : nil
        storage = nil
        let removed = body(&elements)
        defer { withExtendedLifetime(removed) {} }
        storage = elements
        let stamp = custom ?? Stamp.system()
        let next = Revision.next()
        if custom != nil { updated = .none }
        noteCommit(next, stamp, changed: true)
        guard let state else {
            lock.unlock()
            return true
        }
        let change = Change(
            old: old,
            new: isObserved ? elements : nil,
            isChange: true,
            revision: next
        )
        tell(change, state, stamp)
        return true
    }

    /// `edit` for an array with traits: what comes of it is set like any other value, if it differs.
    private func editSpecially<Removed>(
        at expected: UInt64?,
        where condition: ([Element]) -> Bool,
        _ body: (inout [Element]) -> Removed
    ) -> Bool {
        while true {
            let (before, revision) = lock.withLock { (storage ?? [], lastRevision) }
            var elements = before
            guard condition(elements), expected == nil || expected == revision else { return false }
            _ = body(&elements)
            guard differs(normalise(elements), before) else { return false }
            if commit(elements, at: revision) != nil { return true }
        }
    }
}

extension Domain {
    /// What is taken in place of each element, without those that are replaced by nil.
    fileprivate func nearest(toEach elements: [Value]) -> [Value] {
        elements.allSatisfy(contains) ? elements : elements.compactMap(nearest)
    }
}
