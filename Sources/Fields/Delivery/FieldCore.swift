package import ModelKitValues

/// The part of a ``Field`` that stores a value, notifies the observers and sends it along bindings.
///
/// It knows no rule, no form of its values and no relation, but where they are kept. Use `Field`:
///
/// ```swift
/// let age = Field<Int>(value: 36)
/// age.value   // 36
/// ```
// Safe: as for `AnyField`; the value and the state are guarded by the lock.
open class FieldCore<Value: Equatable & Sendable>: FieldCell<Value?>, @unchecked Sendable {
    @inlinable
    package override init(_ value: Value?) { super.init(value) }

    deinit {
        if let details { detachObservers(details) }
    }

    @usableFromInline
    final override func makeDetails() -> FieldDetails { FieldState<Value>() }

    /// The details as what they are for this value type.
    ///
    /// The lock must be held.
    @inlinable @inline(__always)
    final var state: FieldState<Value>? {
        guard let details else { return nil }
        // `makeDetails` makes no other.
        return unsafeDowncast(details, to: FieldState<Value>.self)
    }

    /// The same field, where a comparison has shown that both types are one.
    @inlinable @inline(__always)
    final func cast<Known>(to type: Known.Type) -> FieldCore<Known> {
        unsafeDowncast(self as AnyField, to: FieldCore<Known>.self)
    }

    /// Calls a closure with the state, of which no reference is counted; nil where there is none.
    ///
    /// The lock must be held; the closure may give it back, and run code of the user. The state stays all the
    /// same: it is never replaced once others know the field, which the caller keeps for the whole call.
    @inlinable @inline(__always)
    final func withState<Result>(_ body: (FieldState<Value>) -> Result) -> Result? {
        keptDetails?._withUnsafeGuaranteedRef {
            // `makeDetails` makes no other.
            body(unsafeDowncast($0, to: FieldState<Value>.self))
        }
    }

    @usableFromInline
    final func ensureState() -> FieldState<Value> {
        unsafeDowncast(ensureDetails(), to: FieldState<Value>.self)
    }

    /// What the field takes in place of a value: that value if it is in the domain.
    ///
    /// Asked only of fields with the trait. The lock must not be held.
    @usableFromInline
    func normalise(_ value: Value?) -> Value? {
        guard let value, let domain = givenDomain else { return value }
        return domain.nearest(to: value)
    }

    /// What is left of a value without the parts that the domain does not take; nil if that is
    /// nothing.
    func admissiblePart(of value: Value) -> Value? { nil }

    /// Why the domain does not take a value as it is.
    func collectDomainIssues(of value: Value, at path: FieldPath, into issues: inout [Issue]) {
        givenDomain?.core.rule.check(value, at: path, into: &issues)
    }

    /// The issues of the elements of a value, by the rules of the field that describes one.
    ///
    /// Only `ArrayField` has any.
    @usableFromInline
    func collectElementIssues(of value: Value?, at path: FieldPath, into issues: inout [Issue]) {}

    /// The form that the class of the field gives its values, if it gives them one.
    func makeClassForm() -> FieldTransformer<Value>? {
        (self as? any FormingField)?.classForm as? FieldTransformer<Value>
    }

    /// The values that the field may hold, if not all.
    @usableFromInline
    final var givenDomain: Domain<Value>? { lock.withLock { state?.domain } }

    /// Lets go of what it knows of the elements, as another field edits the value.
    ///
    /// The lock must be held: what may die is added to a list.
    func forgetElements(_ remains: inout [Any]) {}

    package final override var typed: (any TypedField)? { self }

    /// Reads the value, and lets whoever asks for it know of the read.
    @inlinable @inline(never)
    final func trackedValue() -> Value? { readTracked { storage } }

    /// Reads under the lock what depends on the value, and lets whoever asks for it know of the read.
    @inlinable @inline(__always)
    final func readTracked<Result>(_ body: () -> Result) -> Result {
        let isTracked = Tracking.isOn
        if isTracked { Tracking.willRead(self) }
        lock.lock()
        let result = body()
        let revision = lastChange
        let isUnloaded = isTracked && traits.contains(.related) && lacksMembers
        lock.unlock()
        if isTracked { Tracking.didRead(self, revision) }
        if isUnloaded { Tracker.noteUnloaded() }
        return result
    }

    /// Whether it is as one is that was declared without anything.
    final var isBare: Bool {
        // First what needs no metadata of the value.
        lock.withLock {
            declaration == nil && details == nil && traits.isEmpty && lastRevision == 0
        } && lock.withLock { storage == nil }
    }

    @usableFromInline @inline(never)
    final func describe(_ name: String?, _ priority: Int?, _ key: FieldKey?) {
        // Called by the initialiser, whose field nobody else has.
        declaration = Declaration(name: name, key: key, priority: priority)
    }

    /// Whether two values differ as this field sees it.
    ///
    /// No lock may be held.
    @usableFromInline
    final func isDifferent(_ old: Value?, _ new: Value?) -> Bool {
        differs(old, new, by: ownEquality)
    }

    /// What decides in place of `==`.
    final var ownEquality: (@Sendable (_ old: Value, _ new: Value) -> Bool)? {
        lock.withLock { state?.equality }
    }

    /// Finds out whether a joined change is one.
    ///
    /// No lock may be held.
    @usableFromInline @inline(never)
    final func compare(_ change: inout Change<Value>) {
        change.isChange = change.isForced || isDifferent(change.old, change.new)
    }
}

extension FieldCore: TypedField {}

extension TypedField {
    @inline(__always)
    var core: FieldCore<Value> {
        // No other class is one.
        unsafeDowncast(self, to: FieldCore<Value>.self)
    }
}
