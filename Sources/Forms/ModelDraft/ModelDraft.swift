public import ModelKitFields
public import ModelKitModels

/// A model that is edited beside the one it began with: a form is bound to the draft, and the model
/// changes only on commit.
///
/// ```swift
/// let draft = person.draft()
/// draft.name <--> nameField        // a field with the rules of person.name
/// draft.age.value = 37
/// draft.changes                    // [["age"]]
/// draft.validate()                 // .valid
/// try draft.commit()               // person.age is 37, and its observers were notified once
/// ```
///
/// The draft has a model of the same class, whose fields begin with the values, times and load states
/// of the base's; their rules are those that the type declares. Changed is a field that differs from
/// what it began with, by its own equality: a value that is typed back is no change, and neither is one
/// that the base was set to meanwhile. What is no field of the schema is no part of it.
///
/// Models that the base embeds are drafted with it, and those that these embed: each has one model that is
/// edited in its place. So an order is edited with its lines; changes, conflicts, a commit and all that
/// takes back go through them:
///
/// ```swift
/// let draft = order.draft()
/// draft.lines.value?[0].count.value = 3     // the real line stays as it is
/// draft.lines.append(Line())
/// draft.changes                             // [["lines"], ["lines", 0, "count"]]
/// try draft.commit()                        // the same line has 3, and there is one more
/// ```
///
/// The members of a derived relation that is loaded are drafted like that, too, and a store writes them
/// afterwards by `save(order, including: \.lines)`. What others have added to it or taken out is no conflict with
/// what comes and goes in the draft, unless something is changed in a line that they have taken out. A
/// relation that is not loaded cannot be edited, which is reported: load it and call `rebase()`. One that
/// is unloaded while it is edited is a conflict until it is loaded again.
///
/// Models behind a foreign key are shared: the draft has the same ones, unless they are drafted, too. In
/// the draft an inverse does not follow; it does in the base, when that is committed.
///
/// It can be used from any thread. A member hides a field of the same name, which `draft[\.base]`
/// reaches.
@dynamicMemberLookup
public final class ModelDraft<M: Model>: Sendable {
    /// The model that a commit changes.
    public let base: M

    /// The model that is edited in its place.
    public let scratch: M

    /// All that is edited.
    let models: DraftedModels

    /// Those of the base, in the order of the schema's fields.
    let fields: [DraftedField]

    /// A draft without changes.
    init(_ base: M) {
        self.base = base
        let type = type(of: base)
        scratch = Linking.apart(type)
        models = DraftedModels(base, as: scratch)
        fields = models.fields(of: scratch)
    }

    /// A field to edit.
    public subscript<F: AnyField>(dynamicMember keyPath: KeyPath<M, F>) -> F {
        scratch[keyPath: keyPath]
    }

    /// A field to edit.
    public subscript<F: AnyField>(keyPath: KeyPath<M, F>) -> F { scratch[keyPath: keyPath] }

    /// Whether any field is changed.
    public var isDirty: Bool { !models.visit(fields) { !$0.baseline.isChanged } }

    /// Whether a field is changed, or one of a model in it.
    public func isDirty(_ keyPath: KeyPath<M, some AnyField>) -> Bool {
        baseline(keyPath)?.isDirty ?? false
    }

    /// The paths of the changed fields, in the order of the schema, those of models in a field after it.
    public var changes: [FieldPath] { paths(where: \.isChanged) }

    /// The paths of the changed fields that were set to something else in the base since the draft
    /// began or was last rebased: what a commit would be refused for.
    public var conflicts: [FieldPath] { paths(where: \.isConflict) }

    /// The values of the changed fields by their keys, as a PATCH sends them; of models in which something
    /// is changed the whole.
    ///
    /// - Parameter context: How they are written.
    /// - Returns: The values; a changed field without one is `.null` in any context.
    public func changedValues(
        in context: ValueTransformerContext = .default
    ) -> AttributeDictionary {
        var traversal = Traversal(in: context.registry)
        var dictionary: AttributeDictionary = [:]
        let schema = base.ownSchema
        let keys = schema.plan(in: context.registry).keys
        for (key, entry) in zip(keys, schema.fields) {
            let field = entry.field(in: scratch)
            guard let known = fields.first(where: { $0.baseline.field === field }),
                known.baseline.isDirty
            else { continue }
            if let value = field.attributeValue(in: &traversal) {
                dictionary.set(value, at: key.names[...])
            }
        }
        return dictionary
    }

    /// Sets a field, and those of models in it, to what they began with.
    public func revert(_ keyPath: KeyPath<M, some AnyField>) {
        guard let baseline = baseline(keyPath) else { return }
        baseline.restore()
        batch {
            models.visit([DraftedField(path: [], baseline: baseline)]) { field in
                if field.baseline.differs { field.baseline.restore() }
                return true
            }
        }
    }

    /// Sets all fields to what they began with, and forgets what was said against them.
    public func discard() {
        Baseline.restore(models.baselines) { $0.differs || $0.field.isSaidSomething }
    }

    /// Takes what the base's fields were set to since the draft began: into those that are not
    /// changed here, and as what the others are compared with.
    ///
    /// - Returns: The paths of the fields that are changed on both sides, in the order of the schema.
    ///   They keep the draft's values, which a commit will set in spite of the base's, unless they are
    ///   reverted.
    @discardableResult
    public func rebase() -> [FieldPath] {
        let conflicts = models.drafting { batch { paths { $0.rebase() } } }
        models.forgetLost()
        return conflicts
    }

    func paths(where isIncluded: (Baseline) -> Bool) -> [FieldPath] {
        var paths: [FieldPath] = []
        models.visit(fields) { field in
            if isIncluded(field.baseline) { paths.append(field.path) }
            return true
        }
        return paths
    }

    private func baseline(_ keyPath: KeyPath<M, some AnyField>) -> Baseline? {
        let field = scratch[keyPath: keyPath]
        return fields.first { $0.baseline.field === field }?.baseline
    }
}

extension Model {
    /// A draft of this model.
    public func draft() -> ModelDraft<Self> { ModelDraft(self) }
}

extension ModelDraft: CustomStringConvertible {
    /// The model that is edited, and the names of what is changed.
    public var description: String {
        "Draft(\(scratch), changes: \(changes.map(\.description)))"
    }
}
