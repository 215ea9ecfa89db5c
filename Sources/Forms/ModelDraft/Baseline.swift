import ModelKitFields
import ModelKitModels

/// A field that is edited, and what it began with: the value of its source, which may be itself.
final class Baseline: Sendable {
    let field: AnyField
    let source: AnyField
    /// Notifies computed fields when what the field began with is another.
    private let marker: Field<Bool>
    /// Whether the value is a draft, which knows itself what is changed.
    let holdsDraft: Bool
    /// What has the models that are edited in place of those in the source; nil where they are the same.
    weak let models: DraftedModels?
    /// How the models of the field are kept; nil of one without models.
    let kind: RelationKind?
    /// The model that has the field; where there are no others, nobody asks.
    let owner: ObjectIdentifier
    private let known: Setting<Start>

    init(
        _ field: AnyField,
        source: AnyField,
        _ marker: Field<Bool>,
        _ models: DraftedModels? = nil,
        of owner: (any Model)? = nil,
        as kind: RelationKind? = nil
    ) {
        self.field = field
        self.source = source
        self.marker = marker
        // In a draft of a model the field is a copy, and a draft in it a value like others.
        holdsDraft = source === field && field.valueType is any ValueDraft.Type
        let models = field.isRelation ? models : nil
        self.models = models
        self.owner = owner.map { ObjectIdentifier($0) } ?? ObjectIdentifier(field)
        self.kind = kind
        known = Setting(Self.start(of: source, in: models, kind))
    }

    /// What a field began with.
    struct Start: Sendable {
        let origin: AnyField
        /// The same as the source had it, with its own models.
        let theirs: AnyField
        /// The revision that the source had then or before.
        let revision: UInt64

        init(_ origin: AnyField, as theirs: AnyField? = nil, at revision: UInt64) {
            self.origin = origin
            self.theirs = theirs ?? origin
            self.revision = revision
        }

        /// The revision first: a set between the two counts as made after the copy.
        init(copying field: AnyField) {
            let revision = field.revision
            self.init(field.snapshot(), at: revision)
        }
    }

    private static func start(
        of source: AnyField,
        in models: DraftedModels?,
        _ kind: RelationKind?
    ) -> Start {
        let start = Start(copying: source)
        guard let models else { return start }
        let origin = models.drafted(start.theirs, kind?.isDrafted ?? false)
        return Start(origin, as: start.theirs, at: start.revision)
    }

    var start: Start { known.value }

    var origin: AnyField { start.origin }

    /// Whether the field, or a field of a model that is edited in it, is changed.
    var isDirty: Bool { isChanged || models?.isChanged(inside: self) ?? false }

    /// Whether the field differs from what it began with, and from what its source was set to since.
    var isChanged: Bool {
        _ = marker.value
        if let draft { return draft.isDirty }
        if source === field { return differs }
        // A computed field has to be notified of either.
        _ = source.trackedChangeRevision
        let start = start
        guard field.isDifferent(from: start.origin) else { return false }
        return source.revision == start.revision || source.isDifferent(from: brought)
    }

    /// Whether the field differs from what it began with.
    var differs: Bool { draft?.isDirty ?? field.isDifferent(from: origin) }

    /// The value as the source is to have it.
    private var brought: AnyField { models?.real(field) ?? field }

    /// Whether the user has been at properties of a draft.
    var isTouched: Bool { draft?.isTouched ?? false }

    /// Whether the source was set to something else than what the field is changed to.
    var isConflict: Bool {
        // A computed field has to be notified of either.
        _ = marker.value
        _ = source.trackedChangeRevision
        let start = start
        guard source.revision != start.revision, source.isDifferent(from: start.theirs) else {
            return false
        }
        if field.isDifferent(from: start.origin), !mergesMembers || lacksMembers {
            return source.isDifferent(from: brought)
        }
        return losesChanges(to: source)
    }

    /// Begins with another value.
    func begin(with start: Start) {
        known.value = start
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
        batch { for baseline in baselines where baseline.differs { baseline.restore() } }
    }

    /// Takes the source's value as what the field began with, and into the field, unless that is
    /// changed.
    ///
    /// - Parameter keepsConflict: Whether a conflict about members is still known afterwards.
    /// - Returns: Whether there was a conflict, of which otherwise nothing is known any more.
    @discardableResult
    func rebase(keepsConflict: Bool = false) -> Bool {
        while true {
            let start = start
            if source.revision == start.revision { return false }
            let theirs = Self.start(of: source, in: models, kind)
            let before = field.revision
            let losesChanges = losesChanges(to: theirs.theirs)
            let isDirty = field.isDifferent(from: start.origin) || losesChanges
            // What was edited stays until somebody knows again what it is an edit of.
            if isDirty, lacksMembers { return true }
            if isDirty, mergesMembers {
                let merged = mergeMembers(of: theirs.origin, since: start)
                begin(with: keepsConflict && losesChanges ? merged : theirs)
                return losesChanges
            }
            if !isDirty, field.isDifferent(from: theirs.origin),
                field.take(theirs.origin, at: before, restoring: true) == nil
            {
                continue
            }
            let isConflict =
                isDirty && theirs.theirs.isDifferent(from: start.theirs)
                && field.isDifferent(from: theirs.origin)
            begin(with: theirs)
            return isConflict
        }
    }

    /// Whether the source was set to something else since the field began with its value.
    func isMoved(since start: Start) -> Bool { isMoved(since: start, at: source.revision) }

    private func isMoved(since start: Start, at revision: UInt64) -> Bool {
        revision != start.revision && source.isDifferent(from: start.theirs)
    }

    /// Sets the source to a value that the field had.
    ///
    /// - Parameters:
    ///   - mine: A copy of the field with the value.
    ///   - value: The same as the source is to have it.
    ///   - start: What the field had begun with when the value was found to be valid.
    ///   - overwriting: Whether it is set although the source was set meanwhile.
    ///   - own: The revisions of the sets of this commit, which others of its fields may have got along
    ///     bindings.
    /// - Returns: Whether the source has the value.
    func commit(
        _ mine: AnyField,
        as value: AnyField,
        since start: Start,
        overwriting: Bool,
        _ own: inout Set<UInt64>
    ) -> Bool {
        while true {
            var revision = source.revision
            if source.isDifferent(from: value) {
                if lacksMembers { return false }
                // Of both sides of a relation the one that is set first sets the other.
                let isMoved =
                    !source.isRelated && !own.contains(revision)
                    && isMoved(since: start, at: revision)
                if isMoved && !overwriting { return false }
                guard let new = source.take(value, at: revision) else { continue }
                own.insert(new)
                revision = new
            }
            // A domain of the source's own may have made something else of it, which is then to be seen;
            // and what has come into it is to be edited here by another model.
            let isSeen = models == nil && !source.isDifferent(from: value)
            begin(with: Start(mine, as: value, at: isSeen ? revision : 0))
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
