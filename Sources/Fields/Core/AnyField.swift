public import ModelKitValues

/// A field of whatever type: what models, stores and forms work with.
///
/// ```swift
/// let fields: [AnyField] = [person.name, person.age]
/// let edited = fields.filter { $0.updatedAt != nil }
/// ```
// Safe: every variable is read and written under `lock`, which is never held while code of the user runs;
// `FieldCell`, `FieldCore` and `Field` keep to the same. Without it, `hasClassForm` is set and `adopt` replaces the
// declaration and the details before others have the field, and `deinit` releases them when nobody has it any more.
open class AnyField: @unchecked Sendable {
    @usableFromInline package final let lock = Lock()

    // The small ones stand together, behind the lock, which is small, too.
    @exclusivity(unchecked) @usableFromInline final var load = LoadState.notLoaded
    @exclusivity(unchecked) @usableFromInline final var verdict = Verdict.unknown
    @exclusivity(unchecked) @usableFromInline final var traits: FieldTraits = []
    /// Whether its class says that values are models, exported in their standard form, so that no
    /// transformer has to.
    ///
    /// Set before anybody else knows the field.
    @exclusivity(unchecked) @usableFromInline package final var hasClassForm = false
    /// What stores are to do about the values.
    @exclusivity(unchecked) @usableFromInline final var storing = FieldStoring.nothing
    /// The revision of the last commit; 0 before the first.
    @exclusivity(unchecked) @usableFromInline final var lastRevision: UInt64 = 0
    /// The revision of the last commit that may have changed the value, by which computed fields know
    /// it.
    @exclusivity(unchecked) @usableFromInline final var lastChange: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline final var updated = Stamp.none
    @exclusivity(unchecked) @usableFromInline final var changed = Stamp.none
    /// What it was declared with, and what only some fields have, as `declaration` and `details`, which count a
    /// reference; the field keeps them as long as it lives.
    @exclusivity(unchecked) @usableFromInline final var keptDeclaration: Unmanaged<Declaration>?
    @exclusivity(unchecked) @usableFromInline final var keptDetails: Unmanaged<FieldDetails>?

    @inlinable
    package init() {}

    @inlinable deinit {
        keptDeclaration?.release()
        keptDetails?.release()
    }

    /// Has the Observation module know that the value is about to be read.
    func willBeRead() {}

    /// Calls a closure once now, if it does not ask for changes only, then whenever the field is set.
    ///
    /// Of fields whose value type is not known; a ``Field`` can hand the values in.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation { .ended }

    /// The field with the type of its values; nil of one that has none.
    package var typed: (any TypedField)? { nil }

    /// A new, empty state of the subclass's value type.
    func makeDetails() -> FieldDetails { FieldDetails() }

    /// Validates the value by the field's rules and keeps the result.
    ///
    /// Async rules are asked if the others have nothing against the value: once for each value, and
    /// again if one could not be asked. Until they have answered the state is unknown, and
    /// `isValidating` is true; `validated()` waits for them.
    ///
    /// - Returns: The new state, which is stored unless the field was set or given a rule
    ///   meanwhile.
    @discardableResult
    public func validate() -> ValidationState { .valid }

    /// The type of the value, without the optional.
    public var valueType: Any.Type { Never.self }

    /// The value; nil if there is none.
    public var anyValue: Any? { nil }

    /// An element of an array; nil where there is none.
    package func anyElement(at index: Int) -> Any? { nil }

    /// Another field with the same value, times and declaration; without observers, bindings and
    /// what a validation said.
    public func copy() -> AnyField { AnyField() }

    /// A copy to compare and to restore the value with: without a declaration where that has no part in it.
    package func snapshot() -> AnyField { copy() }

    /// Takes the value of another field if that is loaded and was set later than this one.
    ///
    /// A field that was never set, whatever its default value, was set before every other. What is
    /// taken is delivered like a set, but keeps the times of the other field. Throws an issue if the
    /// other is of another type.
    ///
    /// - Returns: Whether the value was taken.
    @discardableResult
    public func merge(from other: AnyField) throws(Issue) -> Bool { false }

    /// Whether the value differs from that of another field of the same type, as this one sees it.
    ///
    /// Of another type nothing is said.
    package func isDifferent(from other: AnyField) -> Bool { false }

    /// Takes the value of another field of the same type, as a set.
    ///
    /// - Parameters:
    ///   - other: The field.
    ///   - revision: If it is given and this field was set since, the value is not taken.
    ///   - restoring: Whether times and load state are taken, too.
    /// - Returns: The revision of the commit; nil when there was none.
    @discardableResult
    package func take(
        _ other: AnyField,
        at revision: UInt64? = nil,
        restoring: Bool = false
    ) -> UInt64? { nil }

    /// Validates the value, joins what else is known against it, and keeps the result.
    package func validate(adding known: [Issue]) -> [Issue] { [] }

    /// The issues of the current value, each with its path below `path`; nothing is stored.
    package func findIssues(at path: FieldPath, into issues: inout [Issue]) {}

    /// The value for a dictionary; nil when the field was never set and has no value.
    package func attributeValue(in traversal: inout Traversal) -> AttributeValue? { nil }

    /// Takes the value from a dictionary, or reports why not and leaves the field as it is.
    ///
    /// - Parameters:
    ///   - value: The value; `.null` for nil.
    ///   - path: The path of the field, for issues.
    ///   - revision: If it is given and the field was set since, the value is not taken.
    ///   - scope: What is wrong with the value is added to its issues.
    /// - Returns: The revision of the commit; nil when there was none.
    @discardableResult
    package func read(
        _ value: AttributeValue,
        at path: FieldPath,
        revision: UInt64?,
        in scope: inout ImportScope
    ) -> UInt64? { nil }

    /// Takes the value of a record as `read` does, where nothing else has to be done: in a new model, of a field
    /// without more than its value.
    ///
    /// - Parameters:
    ///   - value: The value where it stands, so that it is not copied on the way; null for nil.
    ///   - revision: That of the commit, if there is one.
    ///   - stamp: When the record is read.
    /// - Returns: False where it has to be read.
    package func takeNew(_ value: UnsafePointer<AttributeValue>, _ revision: UInt64, _ stamp: Stamp)
        -> Bool
    { false }

    /// The form in the default context that the field would give a value from a dictionary; nil if it
    /// cannot have it.
    ///
    /// The field is left as it is.
    package func form(
        of value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> AttributeValue? { nil }

    /// Whether its value is a model or several, whose own fields change without a set of this one.
    package var holdsModels: Bool { false }

    /// The field that describes each element, of a field of several values.
    package var elementField: AnyField? { nil }
}

extension AnyField {
    /// What people call the field.
    public final var name: String? { lock.withLock { declaration?.name } }

    /// The key in dictionaries, if it is not the name of the model's property.
    ///
    /// As a nested key it is several.
    public final var key: FieldKey? { lock.withLock { declaration?.key } }

    /// The place among the fields of a model: lower first, then those without, as declared.
    public final var priority: Int? { lock.withLock { declaration?.priority } }

    /// Whether it is the field that identifies its model.
    package final var isIdentifier: Bool {
        lock.withLock { declaration?.isIdentifier ?? false }
    }

    /// Whether stores are to find its values quickly.
    package final var isIndexed: Bool { lock.withLock { storing != .nothing } }

    /// Whether stores are to refuse a second record with the same value.
    package final var isUnique: Bool { lock.withLock { storing == .unique } }

    /// The revision of the last commit; 0 when there was none.
    @inlinable package final var revision: UInt64 { lock.withLock { lastRevision } }

    /// Whether a nil is known to be none: the field was set, and not unloaded since.
    ///
    /// The lock must be held.
    @usableFromInline final var isKnown: Bool { lastRevision != 0 && load != .notLoaded }

    /// How diagnostics call the field.
    package final var label: String {
        lock.withLock { declaration?.title } ?? "\(type(of: self))"
    }

    /// Reports something about the field; no lock may be held.
    final func report(_ code: Diagnostic.Code, _ message: String) {
        ModelKitDiagnostics.report(code, message, field: label)
    }

    /// What it was declared with; nil without a name, a key, rules and details.
    @inlinable @inline(__always)
    final var declaration: Declaration? {
        get { keptDeclaration?.takeUnretainedValue() }
        set {
            let old = keptDeclaration
            keptDeclaration = newValue.map { .passRetained($0) }
            old?.release()
        }
    }

    /// What only some fields have: observers, bindings, a transformer.
    ///
    /// Always a `FieldState` of the field's value type. It is replaced only before others have the field.
    @inlinable @inline(__always)
    final var details: FieldDetails? {
        get { keptDetails?.takeUnretainedValue() }
        set {
            let old = keptDetails
            keptDetails = newValue.map { .passRetained($0) }
            old?.release()
        }
    }

    /// Takes the lock and gives the details, which are installed if there are none.
    @inlinable @inline(__always)
    final func lockDetails() -> FieldDetails {
        lock.lock()
        if let details { return details }
        lock.unlock()
        let details = ensureDetails()
        lock.lock()
        return details
    }

    /// Whether it is of a model that a draft edits in place of another one.
    package final var isStandIn: Bool { lock.withLock { details?.isStandIn ?? false } }

    package final func noteStandIn(_ isStandIn: Bool) {
        lockDetails().isStandIn = isStandIn
        lock.unlock()
    }

    /// Installs the details if there are none.
    ///
    /// The lock must not be held.
    @usableFromInline @inline(never)
    final func ensureDetails() -> FieldDetails {
        if let details = lock.withLock({ details }) { return details }
        _ = ensureDeclaration()
        let made = makeDetails()
        return lock.withLock {
            if let details { return details }
            details = made
            return made
        }
    }

    /// Installs the declaration if there is none.
    ///
    /// The lock must not be held.
    final func ensureDeclaration() -> Declaration {
        if let declaration = lock.withLock({ declaration }) { return declaration }
        let made = Declaration()
        return lock.withLock {
            if let declaration { return declaration }
            declaration = made
            return made
        }
    }

    /// Notes a commit.
    ///
    /// The lock must be held.
    @inlinable @inline(__always)
    final func noteCommit(_ revision: UInt64, _ stamp: Stamp, changed isChange: Bool) {
        lastRevision = revision
        if Tracking.isOn { Tracking.didSet(self) }
        if isChange { lastChange = revision } else if !traits.isEmpty { noteSame() }
        // Another thread's time may have been taken later and committed sooner.
        if stamp.seconds > updated.seconds { updated = stamp }
        if isChange { changed = updated }
        load = .loaded
        if verdict != .unknown { forgetVerdict() }
    }

    /// Notes that a field with traits was set to the same value.
    ///
    /// The lock must be held.
    @usableFromInline @inline(never)
    final func noteSame() {
        // What its own equality takes for the same is stored all the same, and a computation may have
        // read what was said of the value, or when it was set.
        if !traits.isDisjoint(with: [.equality, .judged, .timed]) { lastChange = lastRevision }
        traits.subtract([.judged, .timed])
    }

    /// Notes that the value was set since it was validated.
    ///
    /// The lock must be held.
    @usableFromInline @inline(never)
    final func forgetVerdict() {
        verdict = .unknown
        traits.remove(.judged)
        // A computation may have read what was known, also where the value is the same.
        if let details,
            details.rawLive != nil || details.findingsMarker != nil || details.answersMarker != nil
        {
            lastChange = lastRevision
        }
    }

    /// The revision of the last change, by which a computation knows the value that it has read.
    package final var changeRevision: UInt64 { lock.withLock { lastChange } }

    /// Notes a change after the revision of its commit was taken: what was read or validated since then
    /// had the old value.
    ///
    /// The lock must be held.
    @inlinable
    final func noteLateChange() {
        lastChange = Revision.next()
        if Tracking.isOn { Tracking.didSet(self) }
    }
}

/// A field with the type of its values.
///
/// What a layer above has for every field it says in an extension of this, and reaches it by `AnyField.typed`.
package protocol TypedField: AnyField {
    associatedtype Value: Equatable & Sendable
}
