/// What makes a field one side of a relation: each object that the field has, has the field's owner in
/// a field of its own.
///
/// Guarded by the lock of the field that has it.
@usableFromInline
package final class Inverse<Value: Equatable & Sendable>: ValueRelation<Value> {
    /// The object that the field belongs to, which keeps the field alive and not the other way round.
    weak let owner: RelatedObject?
    let shape: InverseShape<Value>
    /// The field of an object that has the owner where this field has the object; nil if the field
    /// has no other side, and no other field is to set it.
    let field: (@Sendable (RelatedObject) -> AnyField?)?
    /// Whether the field is the other side of a key: while it is not loaded it has no value, whatever
    /// objects have its owner.
    let isDerived: Bool
    /// The objects of a field that is not loaded, whose fields have the owner still; nil while the value
    /// has them.
    @exclusivity(unchecked) var unloaded: RememberedObjects?
    /// What was taken out of the loaded other side of a key, which nobody else may hold until that is stored;
    /// nil where no store has the owner.
    @exclusivity(unchecked) var taken: [ObjectIdentifier: RelatedObject]?
    /// The objects of a large value, as far as somebody has asked for one.
    @exclusivity(unchecked) var members: InverseMembers?

    /// Without an owner and its field it takes no part in the relations of others.
    package init(
        owner: RelatedObject?,
        shape: InverseShape<Value>,
        isDerived: Bool = false,
        field: (@Sendable (RelatedObject) -> AnyField?)?
    ) {
        self.owner = owner
        self.shape = shape
        self.isDerived = isDerived
        self.field = field
        super.init()
    }

    override var isUnloaded: Bool { isDerived && unloaded != nil }

    override func commit(
        _ value: Value?,
        in field: FieldCore<Value>,
        at expected: UInt64?,
        _ custom: Stamp?,
        following order: Order?
    ) -> UInt64? {
        let stamp = RelatedStamp(
            custom: custom,
            order: order?.following(),
            hasOwnTime: custom != nil
        )
        return field.commitRelated(value, at: expected, stamp)
    }

    override func accept(
        _ propagation: inout Propagation<Value>,
        in field: FieldCore<Value>,
        from sender: ObjectIdentifier?
    ) { field.acceptRelated(&propagation, from: sender) }

    /// Whether the field takes no part in the relations of others.
    var isApart: Bool { field == nil }

    /// Whether nothing has happened to a field but that objects of a new value have come into it, as they have
    /// its owner already and were linked for the set.
    func hasCome(
        by new: Value?,
        to objects: [RelatedObject],
        since before: [RelatedObject]
    ) -> Bool {
        let kept = shape.isSingle ? [] : before
        guard kept.count < objects.count, zip(kept, objects).allSatisfy({ $0 === $1 }) else {
            return false
        }
        let own = Set((new.map(shape.objects) ?? []).map { ObjectIdentifier($0) })
        return objects.dropFirst(kept.count).allSatisfy { own.contains(ObjectIdentifier($0)) }
    }

    /// Notes what a set has taken out of the value, and put into it.
    ///
    /// The lock must be held, and the caller keeps the objects alive.
    func noteTaken(_ removed: [RelatedObject], _ added: [RelatedObject]) {
        if taken == nil { return }
        for object in removed { taken?[ObjectIdentifier(object)] = object }
        for object in added { taken?[ObjectIdentifier(object)] = nil }
    }

    /// The objects of a value, or those that it had when it was unloaded.
    ///
    /// The lock must not be held.
    func objects(of value: Value?, _ unloaded: RememberedObjects?) -> [RelatedObject] {
        unloaded?.objects ?? value.map(shape.objects) ?? []
    }

    override func view(of object: RelatedObject, in field: AnyField) -> InverseView? {
        // It is a relation of this field, of its values.
        unsafeDowncast(field, to: FieldCore<Value>.self).view(of: object)
    }

    override func take(
        _ step: InverseStep,
        _ stamp: RelatedStamp,
        _ outflow: inout InverseOutflow
    ) { unsafeDowncast(step.field, to: FieldCore<Value>.self).takeRelated(step, stamp, &outflow) }
}

/// How a value holds objects: one, or several in order, each once.
package struct InverseShape<Value: Equatable & Sendable>: Sendable {
    let isSingle: Bool
    let objects: @Sendable (Value) -> [RelatedObject]
    let contains: @Sendable (Value, RelatedObject) -> Bool
    let count: @Sendable (Value) -> Int
    /// The value with the first of objects that are the same.
    let distinct: @Sendable (Value) -> Value
    /// The value of objects; nil where there is none.
    let value: @Sendable ([RelatedObject]) -> Value?
    /// Takes objects out and then puts others in.
    ///
    /// It runs no code of the user; the caller keeps all of them alive.
    let edit: @Sendable (inout Value?, InverseStep) -> EditScript?
}

extension InverseShape where Value: AnyObject {
    /// One object, whose place another takes.
    package static var one: InverseShape {
        InverseShape(
            isSingle: true,
            objects: { [$0] },
            contains: { $0 === $1 },
            count: { _ in 1 },
            distinct: { $0 },
            value: { $0.last as? Value },
            edit: { value, step in
                if step.removed.contains(where: { $0 === value }) { value = nil }
                if let added = step.added.last as? Value { value = added }
                return nil
            }
        )
    }
}

extension InverseShape {
    /// Several objects; those that are put in come last.
    package static func many<Element: AnyObject & Equatable & Sendable>() -> InverseShape
    where Value == [Element] {
        InverseShape(
            isSingle: false,
            objects: { $0.map { $0 } },
            contains: { elements, object in elements.contains { $0 === object } },
            count: \.count,
            distinct: { elements in
                var seen: Set<ObjectIdentifier> = []
                let kept = elements.filter { seen.insert(ObjectIdentifier($0)).inserted }
                return kept.count == elements.count ? elements : kept
            },
            value: { $0.compactMap { $0 as? Element } },
            edit: { value, step in
                // Taken out, so that they are edited in place.
                var elements = value ?? []
                value = nil
                var edits: [ArrayEdit<Element>] = []
                if step.removed.count == 1 {
                    let removed = step.removed[0]
                    if let index = index(of: removed, in: elements) {
                        edits.append(.remove(elements.remove(at: index), at: index))
                    }
                } else if !step.removed.isEmpty {
                    let removed = Set(step.removed.map { ObjectIdentifier($0) })
                    var kept: [Element] = []
                    kept.reserveCapacity(elements.count)
                    for element in elements {
                        if removed.contains(ObjectIdentifier(element)) {
                            edits.append(.remove(element, at: kept.count))
                        } else {
                            kept.append(element)
                        }
                    }
                    elements = kept
                }
                for case let element as Element in step.added {
                    edits.append(.insert(element, at: elements.count))
                    elements.append(element)
                }
                let count = elements.count
                value = elements
                return ArrayEditScript.script(edits, count: count)
            }
        )
    }
}

/// Where an object is in an array that has it once.
///
/// Looked for from both ends, as what came last often leaves first, and by addresses, as code that is not
/// specialised retains each element that it compares.
private func index<Element: AnyObject>(of object: RelatedObject, in elements: [Element]) -> Int? {
    let address = UInt(bitPattern: ObjectIdentifier(object))
    return elements.withUnsafeBytes { bytes in
        var first = 0
        var last = bytes.count - MemoryLayout<UInt>.size
        while first <= last {
            if bytes.load(fromByteOffset: first, as: UInt.self) == address {
                return first / MemoryLayout<UInt>.size
            }
            if bytes.load(fromByteOffset: last, as: UInt.self) == address {
                return last / MemoryLayout<UInt>.size
            }
            first += MemoryLayout<UInt>.size
            last -= MemoryLayout<UInt>.size
        }
        return nil
    }
}

extension FieldState {
    /// The relation that the field is one side of.
    var inverse: Inverse<Value>? {
        // There is no other class of relations. Not by a closure, for which code of any type has to find metadata.
        guard let relation else { return nil }
        return unsafeDowncast(relation, to: Inverse<Value>.self)
    }
}
