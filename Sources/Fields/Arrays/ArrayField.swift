public import ModelKitValues

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
/// has its index as path. An element that its domain replaces by nil is left out. When the inner field
/// is constrained later, the array takes its value anew; an async rule that it is given later does not
/// count. Name, key and priority are the inner field's unless they are given.
// Safe: as for `Field`; `known` and `journal` are guarded by the lock, too, and `element` written before anybody else
// knows the field.
public final class ArrayField<Element: Equatable & Sendable>: Field<[Element]>, @unchecked Sendable
{
    /// The field that describes one element.
    ///
    /// Its own value means nothing.
    public var inner: Field<Element> {
        followElement()
        return element
    }

    /// Whether two elements may be the same; otherwise the first of them stays and others are not
    /// added.
    public let allowsDuplicates: Bool

    /// The inner field, which may not know of this one.
    @exclusivity(unchecked) private var element: Field<Element>

    /// What elements there are, for a field without duplicates.
    @exclusivity(unchecked) var known: ElementIndex<Element>?

    /// The latest edits, where arrays are made of this one.
    @exclusivity(unchecked) var journal: EditJournal<Element>?

    /// A field of several values.
    ///
    /// - Parameters:
    ///   - inner: The field that describes one element.
    ///   - value: The value it starts with: if none is given, the default value of the inner field
    ///     as the only element, or no elements.
    ///   - allowsDuplicates: Whether two elements may be the same.
    ///   - name: What people call the field.
    ///   - priority: The place among the fields of a model: lower first.
    ///   - key: The key in dictionaries.
    public init(
        _ inner: consuming Field<Element>,
        value: [Element]? = nil,
        allowsDuplicates: Bool = true,
        name: String? = nil,
        priority: Int? = nil,
        key: FieldKey? = nil
    ) {
        // Given away, so that it can be seen below whether somebody else has it.
        element = consume inner
        self.allowsDuplicates = allowsDuplicates
        // From most there is nothing to take over, and not to look for it is far quicker.
        // No other reference to it is made, by which it would not be known to be unique below.
        let isBare = element.isBare
        let start: (value: [Element], domain: AnyObject?) =
            isBare ? (value ?? [], nil) : Self.start(of: element, value)
        super.init(
            value: allowsDuplicates ? start.value : Self.withoutDuplicates(start.value),
            name: name ?? (isBare ? nil : element.name),
            priority: priority ?? (isBare ? nil : element.priority),
            key: key ?? (isBare ? nil : element.key)
        )
        hasClassForm = element.hasClassForm
        if !isBare { takeForms(of: element) }
        if start.domain != nil || !allowsDuplicates { traits.insert(.domain) }
        // What nobody else has is constrained only by way of `inner`.
        if isKnownUniquelyReferenced(&element) { return }
        followElement(since: start.domain)
    }

    /// What it begins with of an inner field that is not bare, and the domain that was then.
    // Apart, as is what follows, so that types are only looked up where they are needed.
    @inline(never)
    private static func start(
        of element: Field<Element>,
        _ value: [Element]?
    ) -> (value: [Element], domain: AnyObject?) {
        let domain = element.domain
        let given = value ?? element.value.map { [$0] } ?? []
        return (domain?.nearest(toEach: given) ?? given, domain?.core)
    }

    @inline(never)
    private func followElement(since domain: AnyObject?) {
        followElement()
        if elementDomain?.core !== domain { takeElementDomain() }
    }

    /// Has the inner field know of this one, which is to take its value anew when that is
    /// constrained.
    private func followElement() { element.describeElements(of: self) }

    /// The domain of each element.
    var elementDomain: Domain<Element>? { element.domain }

    /// Takes over what holds for each element.
    private func takeForms(of inner: Field<Element>) {
        if inner.expectsInverse { expectInverse() }
        if inner.lock.withLock({ inner.details == nil }) { return }
        if let element = inner.givenTransformer { transform(with: .array(of: element)) }
        for given in inner.contextual {
            let context = ValueTransformerContext(name: given.name)
            transform(with: .array(of: given.transformer), in: context)
        }
        for rule in inner.asyncRules { require(rule.each()) }
    }

    public override func copy() -> ArrayField<Element> {
        let copy = ArrayField(element.copy(), allowsDuplicates: allowsDuplicates)
        copy.adopt(self)
        return copy
    }

    override func makeClassForm() -> FieldTransformer<[Element]>? {
        element.makeClassForm().map { .array(of: $0) }
    }

    package override var elementField: AnyField? { element }

    package override func anyElement(at index: Int) -> Any? { self[index].map { $0 } }

    @usableFromInline
    override func normalise(_ value: [Element]?) -> [Element]? {
        guard var elements = value else { return nil }
        if let elementDomain { elements = elementDomain.nearest(toEach: elements) }
        if !allowsDuplicates {
            elements = Self.withoutDuplicates(elements)
            // The index would keep elements alive that are replaced.
            let stale = lock.withLock { known.take() }
            withExtendedLifetime(stale) {}
        }
        return super.normalise(elements)
    }

    /// Makes an edit that adds elements as the inner field's domain takes them, unless it takes none.
    func admitting(_ elements: some Sequence<Element>, _ edit: ([Element]) -> Bool) -> Bool {
        let domain = elementDomain
        let added = domain.map { elements.compactMap($0.nearest) } ?? Array(elements)
        defer { admitAnew(since: domain) }
        return !added.isEmpty && edit(added)
    }

    /// Takes the value anew if the inner field was constrained before an edit was made for which it
    /// had a domain, or none.
    func admitAnew(since domain: Domain<Element>?) {
        if elementDomain?.core !== domain?.core { constrainValue() }
    }

    override func admissiblePart(of value: [Element]) -> [Element]? {
        guard let rule = elementDomain?.core.rule else { return nil }
        let part = value.filter { !rule.issues(for: $0).isBlocking }
        var issues: [Issue] = []
        super.collectDomainIssues(of: part, at: [], into: &issues)
        return issues.isBlocking ? nil : part
    }

    override func collectDomainIssues(
        of value: [Element],
        at path: FieldPath,
        into issues: inout [Issue]
    ) {
        if let rule = elementDomain?.core.rule.core {
            collectIssues(of: value, by: rule, at: path, into: &issues)
        }
        super.collectDomainIssues(of: value, at: path, into: &issues)
    }

    @usableFromInline
    override func collectElementIssues(
        of value: [Element]?,
        at path: FieldPath,
        into issues: inout [Issue]
    ) {
        let rule = element.lock.withLock { element.declaration?.joinRules(of: Element.self) }
        if let value, let rule { collectIssues(of: value, by: rule, at: path, into: &issues) }
    }

    // Apart, so that what it looks up of its types is only looked up where there are rules.
    @inline(never)
    private func collectIssues(
        of value: [Element],
        by rule: RuleCore<Element>,
        at path: FieldPath,
        into issues: inout [Issue]
    ) {
        for index in 0..<value.count {
            rule.check(value[index], at: path.appending(index: index), into: &issues)
        }
    }

    override func forgetElements(_ remains: inout [Any]) {
        // Looked at first, as code of any type asks for metadata to take it.
        if known != nil { remains.append(known.take() as Any) }
    }
}

postfix operator *

/// Makes a field of several values from a field that describes one.
@inlinable
public postfix func * <Element>(inner: consuming Field<Element>) -> ArrayField<Element> {
    ArrayField(inner)
}

extension ArrayField {
    /// How many elements there are; 0 also when the value is nil.
    public var count: Int { knownValue?.count ?? 0 }

    /// Whether there are no elements, or there is no value.
    public var isEmpty: Bool { knownValue?.isEmpty ?? true }

    /// Whether an element equals the given one.
    public func contains(_ element: Element) -> Bool { knownValue?.contains(element) ?? false }

    /// The element at an index; nil when the index is outside.
    public subscript(index: Int) -> Element? {
        guard let value = knownValue, value.indices.contains(index) else { return nil }
        return value[index]
    }
}

extension Field {
    /// Notes an array whose elements this field describes, once.
    fileprivate func describeElements(of array: AnyField) {
        let details = ensureDetails()
        let identity = ObjectIdentifier(array)
        let known = lock.withLock { details.arrays.first { $0.targetID == identity } }
        if known?.target === array { return }
        let link = Binding(to: array, by: nil)
        let count = lock.withLock {
            // One with the same identity is a link to a dead array in the place of this one.
            details.arrays.removeAll { $0.targetID == identity }
            details.arrays.append(link)
            return details.arrays.count
        }
        if count >= 16, count & (count - 1) == 0 { removeDead(\.arrays, details) }
    }
}

extension Domain {
    /// What is taken in place of each element, without those that are replaced by nil.
    fileprivate func nearest(toEach elements: [Value]) -> [Value] {
        elements.allSatisfy(contains) ? elements : elements.compactMap(nearest)
    }
}
