public import ModelKitFields

/// A model that is edited beside the one it began with: a form is bound to the draft, and the model
/// changes only on commit.
///
/// ```swift
/// let draft = person.draft()
/// draft.name <--> nameField        // a field with the rules of person.name
/// draft.age.value = 37
/// draft.changes                    // [["age"]]
/// draft.validate()                 // .valid
/// try draft.commit()               // person.age is 37, and its observers were told once
/// ```
///
/// The draft has a model of the same class, whose fields begin with the values, times and load states
/// of the base's; their rules are those that the type declares. Changed is a field that differs from
/// what it began with, by its own equality: a value that is typed back is no change. Of a field that
/// holds models the draft has the reference, so it is changed by another model, while what is set
/// inside of the same one is set for everybody. What is no field of the schema is no part of it.
///
/// It can be used from any thread. A member hides a field of the same name, which `draft[\.base]`
/// reaches.
@dynamicMemberLookup
public final class ModelDraft<M: Model>: Sendable {
    /// The model that a commit changes.
    public let base: M

    /// The model that is edited in its place.
    public let scratch: M

    /// In the order of the schema's fields.
    let baselines: [Baseline]

    private let dirtiness = LazyComputed<Bool>()

    /// A draft without changes.
    public init(_ base: M) {
        self.base = base
        let type = type(of: base)
        let scratch = Linking.alone { type.init() }
        self.scratch = scratch
        let marker = Field<Bool>()
        baselines = base.ownSchema.allFields.map { entry in
            Baseline(entry.field(in: scratch), source: entry.field(in: base), marker)
        }
        Baseline.restore(baselines) { $0.origin.revision != 0 || $0.isDirty }
    }

    /// A field to edit.
    public subscript<F: AnyField>(dynamicMember keyPath: KeyPath<M, F>) -> F {
        scratch[keyPath: keyPath]
    }

    /// A field to edit.
    public subscript<F: AnyField>(keyPath: KeyPath<M, F>) -> F { scratch[keyPath: keyPath] }

    /// Whether any field is changed.
    public var isDirty: Bool { baselines.contains(where: \.isDirty) }

    /// Whether a field is changed.
    public func isDirty(_ keyPath: KeyPath<M, some AnyField>) -> Bool {
        baseline(keyPath)?.isDirty ?? false
    }

    /// Whether any field is changed, to be observed: `draft.dirty --> { save.isEnabled = $0 ?? false }`.
    ///
    /// It lives as long as the draft.
    public var dirty: Computed<Bool> { dirtiness.get { [weak self] in self?.isDirty } }

    /// The paths of the changed fields, in the order of the schema.
    public var changes: [FieldPath] { paths(where: \.isDirty) }

    /// The paths of the changed fields that were set to something else in the base since the draft
    /// began or was last rebased: what a commit would be refused for.
    public var conflicts: [FieldPath] { paths(where: \.isConflict) }

    /// The values of the changed fields by their keys, as a PATCH sends them.
    ///
    /// - Parameter context: How they are written.
    /// - Returns: The values; a changed field without one is `.null` in any context.
    public func changedValues(
        in context: ValueTransformerContext = .default
    ) -> AttributeDictionary {
        var traversal = Traversal(in: context.registry)
        var dictionary: AttributeDictionary = [:]
        let keys = base.ownSchema.plan(in: context.registry).keys
        for (key, baseline) in zip(keys, baselines.filter(\.field.isConvertible))
        where baseline.isDirty {
            if let value = baseline.field.attributeValue(in: &traversal) {
                dictionary.set(value, at: key.names[...])
            }
        }
        return dictionary
    }

    /// Sets a field to what it began with.
    public func revert(_ keyPath: KeyPath<M, some AnyField>) {
        baseline(keyPath)?.restore()
    }

    /// Sets all fields to what they began with, and forgets what was said against them.
    public func discard() {
        Baseline.restore(baselines) { $0.isDirty || $0.field.isSaidSomething }
    }

    /// Takes what the base's fields were set to since the draft began: into those that are not
    /// changed here, and as what the others are compared with.
    ///
    /// - Returns: The paths of the fields that are changed on both sides, in the order of the schema.
    ///   They keep the draft's values, which a commit will set in spite of the base's, unless they are
    ///   reverted.
    @discardableResult
    public func rebase() -> [FieldPath] {
        batch { paths { $0.rebase() } }
    }

    private func paths(where isIncluded: (Baseline) -> Bool) -> [FieldPath] {
        zip(base.ownSchema.allFields, baselines).filter { isIncluded($0.1) }.map(\.0.path)
    }

    private func baseline(_ keyPath: KeyPath<M, some AnyField>) -> Baseline? {
        let field = scratch[keyPath: keyPath]
        return baselines.first { $0.field === field }
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
