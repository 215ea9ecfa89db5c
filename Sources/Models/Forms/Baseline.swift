import ModelKitFields

/// A field that is edited, and what it began with: the value of its source, which may be itself.
// Safe: `known` is guarded by `lock`; what it held is released after it.
final class Baseline: @unchecked Sendable {
    let field: AnyField
    let source: AnyField
    /// Tells computed fields when what the field began with is another.
    private let marker: Field<Bool>
    /// Whether the value is a draft, which knows itself what is changed.
    let holdsDraft: Bool
    private let lock = Lock()
    /// A copy of the source, and the revision that it had then or before.
    private var known: (origin: AnyField, revision: UInt64)

    init(_ field: AnyField, source: AnyField, _ marker: Field<Bool>) {
        self.field = field
        self.source = source
        self.marker = marker
        // In a draft of a model the field is a copy, and a draft in it a value like others.
        holdsDraft = source === field && field.valueType is any ValueDraft.Type
        known = Self.copy(source)
    }

    /// The revision first: a set between the two counts as made after the copy.
    static func copy(_ field: AnyField) -> (origin: AnyField, revision: UInt64) {
        let revision = field.revision
        return (field.copy(), revision)
    }

    /// What the field began with, and the revision that its source had then.
    typealias Start = (origin: AnyField, revision: UInt64)

    var start: Start { lock.withLock { known } }

    var origin: AnyField { start.origin }

    /// Whether the field differs from what it began with.
    var isDirty: Bool {
        _ = marker.value
        return draft?.isDirty ?? field.isDifferent(from: origin)
    }

    /// Whether the user has been at properties of a draft.
    var isTouched: Bool { draft?.isTouched ?? false }

    /// Whether the source was set to something else than what the field is changed to.
    var isConflict: Bool {
        // A computed field has to be told of either.
        _ = marker.value
        _ = source.trackedChangeRevision
        let (origin, revision) = start
        return source.revision != revision && source.isDifferent(from: origin)
            && field.isDifferent(from: origin) && source.isDifferent(from: field)
    }

    /// Begins with another value.
    func begin(with origin: AnyField, _ revision: UInt64) {
        let old = lock.withLock {
            let old = known
            known = (origin, revision)
            return old
        }
        withExtendedLifetime(old) {}
        marker.touch()
    }

    /// The draft, unless it has come into the field since, which is a change itself.
    private var draft: (any ValueDraft)? {
        guard holdsDraft, origin.anyValue is any ValueDraft else { return nil }
        return field.anyValue as? any ValueDraft
    }

    /// Sets the field to what it began with.
    func restore() {
        if var draft {
            draft.discard()
            // A value of the field's own type.
            try? field.setAnyValue(draft)
        } else {
            field.take(origin, restoring: true)
        }
    }

    /// Sets fields to what they began with, those that a condition selects and then, as the model may
    /// have set one after the other, those that are not.
    static func restore(_ baselines: [Baseline], where isNeeded: (Baseline) -> Bool) {
        batch { for baseline in baselines where isNeeded(baseline) { baseline.restore() } }
        batch { for baseline in baselines where baseline.isDirty { baseline.restore() } }
    }

    /// Takes the source's value as what the field began with, and into the field, unless that is
    /// changed.
    ///
    /// - Returns: Whether there was a conflict, of which nothing is known any more.
    @discardableResult
    func rebase() -> Bool {
        while true {
            let (origin, revision) = start
            if source.revision == revision { return false }
            let theirs = Self.copy(source)
            let before = field.revision
            let isDirty = field.isDifferent(from: origin)
            if !isDirty, field.isDifferent(from: theirs.origin),
                field.take(theirs.origin, at: before, restoring: true) == nil
            {
                continue
            }
            let isConflict =
                isDirty && theirs.origin.isDifferent(from: origin)
                && field.isDifferent(from: theirs.origin)
            begin(with: theirs.origin, theirs.revision)
            return isConflict
        }
    }

    /// Sets the source to a value that the field had.
    ///
    /// - Parameters:
    ///   - mine: A copy of the field with the value.
    ///   - start: What the field had begun with when the value was found to be valid.
    ///   - overwriting: Whether it is set although the source was set meanwhile.
    ///   - own: The revisions of the sets of this commit, which others of its fields may have got along
    ///     bindings.
    /// - Returns: Whether the source has the value.
    func commit(
        _ mine: AnyField,
        since start: Start,
        overwriting: Bool,
        _ own: inout Set<UInt64>
    ) -> Bool {
        while true {
            let (origin, known) = start
            var revision = source.revision
            if source.isDifferent(from: mine) {
                let isMoved =
                    revision != known && !own.contains(revision)
                    && source.isDifferent(from: origin)
                if isMoved && !overwriting { return false }
                guard let new = source.take(mine, at: revision) else { continue }
                own.insert(new)
                revision = new
            }
            // A domain of the source's own may have made something else of it, which is then to be seen.
            begin(with: mine, source.isDifferent(from: mine) ? 0 : revision)
            return true
        }
    }
}

extension AnyField {
    /// Whether a validation or somebody else has said something about the value, or is about to.
    var isSaidSomething: Bool {
        !addedIssues.isEmpty || isValidating || validationState != .unknown
    }
}
