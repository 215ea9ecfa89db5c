/// A set of a field together with all that follows from it in the fields of other objects, which are
/// looked at without a lock and set under the locks of all, if none was set meanwhile.
///
/// The locks are taken in the order of the fields' addresses, and no code of the user runs under
/// them: a plan keeps every object alive that fields give up.
struct InversePlan {
    private let origin: AnyField
    private(set) var steps: [InverseStep] = []
    private var places: [ObjectIdentifier: Int] = [:]
    /// Whether a field was set between two looks.
    private(set) var isTorn = false

    init(of origin: AnyField) { self.origin = origin }

    /// Adds what follows in the fields of objects that lose or get the owner of the origin.
    mutating func relate(
        _ owner: RelatedObject,
        removed: [RelatedObject],
        added: [RelatedObject],
        by inverse: (RelatedObject) -> AnyField?
    ) {
        var seen: Set<ObjectIdentifier> = []
        for object in removed where seen.insert(ObjectIdentifier(object)).inserted {
            guard let field = inverse(object), let view = look(at: field, for: owner) else {
                continue
            }
            note(field, view) { if view.contains { $0.removed.append(owner) } }
        }
        for object in added where seen.insert(ObjectIdentifier(object)).inserted {
            guard let field = inverse(object), let view = look(at: field, for: owner) else {
                continue
            }
            note(field, view) { if !view.contains { $0.added.append(owner) } }
            guard !view.contains, let occupant = view.occupant,
                let left = view.inverse(occupant), let leftView = look(at: left, for: object)
            else { continue }
            note(left, leftView) { if leftView.contains { $0.removed.append(object) } }
        }
    }

    /// What a field says of an object; nil of the origin, which is set anyway.
    private func look(at field: AnyField, for object: RelatedObject) -> InverseView? {
        field === origin ? nil : field.inverseView(of: object)
    }

    private mutating func note(
        _ field: AnyField,
        _ view: InverseView,
        _ change: (inout InverseStep) -> Void
    ) {
        let identity = ObjectIdentifier(field)
        if let place = places[identity] {
            if steps[place].revision != view.revision { isTorn = true }
            change(&steps[place])
        } else {
            var step = InverseStep(field: field, revision: view.revision)
            change(&step)
            places[identity] = steps.count
            steps.append(step)
        }
    }

    /// Runs a closure under the locks of the origin and of all fields, unless one was set since it was
    /// looked at.
    ///
    /// - Returns: Whether the closure was run.
    func run(at revision: UInt64, _ body: () -> Void) -> Bool {
        var sides = [(field: origin, revision: revision)]
        sides += steps.map { ($0.field, $0.revision) }
        sides.sort { ObjectIdentifier($0.field) < ObjectIdentifier($1.field) }
        for side in sides { side.field.lock.lock() }
        let isCurrent = sides.allSatisfy { $0.field.lastRevision == $0.revision }
        if isCurrent { body() }
        for side in sides { side.field.lock.unlock() }
        return isCurrent
    }
}

extension InverseOutflow {
    /// Has it done by a pass.
    func leave(to pass: PropagationPass) {
        for field in notified { field.typed?.enqueueWithheld(for: pass) }
        for field in bound { field.typed?.sendOn(in: pass) }
        pass.pending.nodes += nodes
    }
}
