public import ModelKitValues

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A field of whatever type: what models, stores and forms work with.
///
/// ```swift
/// let fields: [AnyField] = [person.name, person.age]
/// let edited = fields.filter { $0.updatedAt != nil }
/// ```
// Safe: every variable is read and written under `lock`, which is never held while code of the user
// runs; the subclass `Field` keeps to the same.
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
    @exclusivity(unchecked) @usableFromInline final var storing: FieldStoring = []
    /// The revision of the last commit; 0 before the first.
    @exclusivity(unchecked) @usableFromInline final var lastRevision: UInt64 = 0
    /// The revision of the last commit that may have changed the value, by which computed fields know
    /// it.
    @exclusivity(unchecked) @usableFromInline final var lastChange: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline final var updated = Stamp.none
    @exclusivity(unchecked) @usableFromInline final var changed = Stamp.none
    /// What only some fields have: a name, rules, observers, bindings.
    ///
    /// Always a `FieldState` of the field's value type.
    @exclusivity(unchecked) @usableFromInline final var details: FieldDetails?

    @inlinable
    package init() {}

    /// Runs the deliveries that wait.
    ///
    /// Only `Field` implements it.
    package func resumeDelivery() {}

    /// Adds a hook of the library, which is notified of changes or of every set, but nothing at the
    /// start, and counts as no observer.
    ///
    /// It is cancelled like an observer some time after its owner is gone, if it has one.
    package func observeInternally(
        everySet: Bool = false,
        by owner: AnyObject? = nil,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation? { nil }

    /// Adds a hook of the library, which is notified of changes, with the values before and after, and counts
    /// as no observer.
    ///
    /// - Parameters:
    ///   - starting: Whether it is told the value there is, too, with an old one of nil.
    ///   - owner: With it the hook ends.
    ///   - body: Is notified of each.
    /// - Returns: What ends it.
    package func hookChanges(
        starting: Bool,
        by owner: AnyObject?,
        _ body:
            @escaping @Sendable (_ old: (any Sendable)?, _ new: (any Sendable)?, HookCall) -> Void
    ) -> Observation? { nil }

    /// Calls a closure once now, if it does not ask for changes only, then whenever the field is set.
    ///
    /// Of fields whose value type is not known; a ``Field`` can hand the values in.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation { .ended }

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

    /// Sets a value that is of the field's type, or nil; both may be in optionals.
    ///
    /// Throws an issue if it is of another type, and leaves the field as it is: nothing is
    /// converted.
    public func setAnyValue(_ newValue: Any?) throws(Issue) {}

    /// An element of an array; nil where there is none.
    package func anyElement(at index: Int) -> Any? { nil }

    /// Another field with the same value, times and declaration; without observers, bindings and
    /// what a validation said.
    public func copy() -> AnyField { AnyField() }

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

    /// Ends what `beginEditing()` began.
    ///
    /// The last one who ends lets the field take the newest value that bindings have brought
    /// meanwhile, unless it was set later itself. Without a beginning it does nothing.
    public func endEditing() {}

    /// Notifies every observer, also those of changes, although there is no new value.
    ///
    /// It is for a value whose inside has changed: an object, a file behind a URL. It counts as a
    /// set, also along bindings, and moves both times; only the load state stays.
    public func touch() {}

    /// What the last validation found; none before it and after a set.
    public final var issues: [Issue] {
        if Tracking.isOn { noteValidationRead() }
        return lock.withLock { verdict == .unknown ? [] : details?.issues ?? [] }
    }

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

    /// The form in the default context that the field would give a value from a dictionary; nil if it
    /// cannot have it.
    ///
    /// The field is left as it is.
    package func form(
        of value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> AttributeValue? { nil }

    /// Whether a value of a context can be read, whatever the field's domain is.
    package func reads(_ value: AttributeValue, in registry: TransformerRegistry?) -> Bool { false }

    /// Whether values have an attribute form, without which they are in no dictionary.
    package var isConvertible: Bool { true }

    /// Whether its value is a model or several, whose own fields change without a set of this one.
    package var holdsModels: Bool { false }

    /// What kind every value's attribute form is in a context, whether it is the value itself, whatever
    /// that is written in, and whether it is a number, whole or not.
    package func form(
        in registry: TransformerRegistry?
    ) -> (kind: AttributeKind, showsValue: Bool, isNumber: Bool) { (.any, false, false) }

    /// What the rules demand of a value, as data.
    package var ruleConstraint: Constraint { .all([]) }

    /// Whether there are rules that take time.
    package final var hasAsyncRules: Bool { lock.withLock { details?.checks != nil } }

    /// What the domain demands of a value, as data.
    package var domainConstraint: Constraint { .all([]) }

    /// The field that describes each element, of a field of several values.
    package var elementField: AnyField? { nil }

    /// What kind every value's attribute form is.
    package var attributeKind: AttributeKind { .any }

    /// The value as a short text; nil when there is none.
    package func valueDescription(in traversal: inout Traversal) -> String? { nil }

    /// What the field says of an object; nil of a field that is no side of a relation.
    func inverseView(of object: RelatedObject) -> InverseView? { nil }

    /// Takes what a set of the other side of a relation means for this field.
    ///
    /// The lock must be held, and stays so.
    func take(_ step: InverseStep, _ stamp: RelatedStamp, _ outflow: inout InverseOutflow) {}

    /// Takes the value again, as the field that describes the elements was given a domain.
    func takeElementDomain() {}

    /// Queues what was withheld, for a loop that is to be told of the field.
    func queueWithheld(_ owing: inout [DeliveryLoop.Entry]) {}

    /// Sends the value on along the bindings.
    func sendOn(in pass: PropagationPass) {}

    /// Whether sets of the field keep the other side of a relation in step.
    package var isRelated: Bool { false }

    /// Takes the value away as not loaded.
    package func unload() {}
}

extension AnyField {
    /// Takes the value from a dictionary of the default context.
    @discardableResult
    package final func read(
        _ value: AttributeValue,
        at path: FieldPath,
        revision: UInt64?,
        into issues: inout [Issue]
    ) -> UInt64? {
        var scope = ImportScope()
        defer { issues += scope.issues }
        return read(value, at: path, revision: revision, in: &scope)
    }

    /// The form that the field would give a value from a dictionary of the default context.
    package final func form(
        of value: AttributeValue,
        at path: FieldPath,
        into issues: inout [Issue]
    ) -> AttributeValue? {
        var scope = ImportScope()
        defer { issues += scope.issues }
        return form(of: value, at: path, in: &scope)
    }

    /// What people call the field.
    public final var name: String? { lock.withLock { details?.name } }

    /// The key in dictionaries, if it is not the name of the model's property.
    ///
    /// As a nested key it is several.
    public final var key: FieldKey? { lock.withLock { details?.key } }

    /// The place among the fields of a model: lower first, then those without, as declared.
    public final var priority: Int? { lock.withLock { details?.priority } }

    /// When any value was last set, also the one it had; nil before the first set.
    public final var updatedAt: Date? {
        if Tracking.isOn { noteAttributeRead() }
        return lock.withLock { updated }.date
    }

    /// When the field was last set to a different value (by `==`; two NaN are equal).
    public final var changedAt: Date? {
        if Tracking.isOn { noteAttributeRead() }
        return lock.withLock { changed }.date
    }

    /// Whether this field was set later than another; one that was never set, whatever its default
    /// value, was set before every other.
    public final func isNewer(than other: AnyField) -> Bool {
        if Tracking.isOn {
            noteAttributeRead()
            other.noteAttributeRead()
        }
        // One lock after the other: two fields may be compared both ways at once.
        let time = lock.withLock { updated }.seconds
        return time > other.lock.withLock { other.updated }.seconds
    }

    /// How much is known of the value.
    ///
    /// Every set makes it `.loaded`; the rest is the app's to set.
    public final var loadState: LoadState {
        get {
            if Tracking.isOn { noteAttributeRead() }
            return untrackedLoadState
        }
        set {
            let isChange = lock.withLock {
                defer { load = newValue }
                return load != newValue
            }
            if isChange { attributesDidChange() }
        }
    }

    /// What the last validation said; unknown before it and after every set.
    ///
    /// `observeValidationState` notifies when it differs, and a computed field that reads it follows.
    public final var validationState: ValidationState {
        if Tracking.isOn { noteValidationRead() }
        lock.lock()
        let (kept, issues) = (verdict, verdict == .invalid ? details?.issues ?? [] : [])
        lock.unlock()
        return ValidationState(kept, issues)
    }

    /// Whether it is the field that identifies its model.
    package final var isIdentifier: Bool { lock.withLock { details?.isIdentifier ?? false } }

    /// Whether stores are to find its values quickly.
    package final var isIndexed: Bool { lock.withLock { !storing.isEmpty } }

    /// Whether stores are to refuse a second record with the same value.
    package final var isUnique: Bool { lock.withLock { storing.contains(.unique) } }

    /// The revision of the last commit; 0 when there was none.
    @inlinable package final var revision: UInt64 { lock.withLock { lastRevision } }

    /// Whether a nil is known to be none: the field was set, and not unloaded since.
    ///
    /// The lock must be held.
    final var isKnown: Bool { lastRevision != 0 && load != .notLoaded }

    /// How diagnostics call the field.
    package final var label: String {
        lock.withLock { details?.name ?? details?.key?.description } ?? "\(type(of: self))"
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

    /// Installs the details if there are none.
    ///
    /// The lock must not be held.
    @usableFromInline @inline(never)
    final func ensureDetails() -> FieldDetails {
        if let details = lock.withLock({ details }) { return details }
        let made = makeDetails()
        return lock.withLock {
            if let details { return details }
            details = made
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
            details.live != nil || details.findingsMarker != nil || details.sayingsMarker != nil
        {
            lastChange = lastRevision
        }
    }
}

extension AnyField {
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

/// What the last validation said, without its issues.
@usableFromInline
enum Verdict: UInt8, Sendable {
    case unknown, invalid, valid
}
