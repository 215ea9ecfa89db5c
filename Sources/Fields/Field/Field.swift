public import ModelKitValues

/// A value that can be observed, validated and bound, and that knows when it was set.
///
/// ```swift
/// let age = Field<Int>().require { $0 > 0 }.require("must be even") { $0 % 2 == 0 }
/// age --> { age in print(age ?? 0) }
/// age.value = 10
/// age.validate()   // .valid
/// ```
///
/// A field can be used from any thread. A set stores the value here and in every field bound to it
/// before it returns; then the observers are notified, in the order in which they were added, each
/// once for every change and in one order. An observer's own sets are stored at once and delivered
/// after the running call. When another thread is already notifying the observers, it notifies them of
/// this set too, and the set returns before that: `settled()` waits for it.
// Safe: as for `AnyField`; the value and the state are guarded by the lock.
open class Field<Value: Equatable & Sendable>: FieldCell<Value?>, ValueSource, ValueObserver,
    @unchecked Sendable
{
    /// A field with a default value, which does not count as loaded or set.
    ///
    /// - Parameters:
    ///   - value: The default value.
    ///   - name: What people call the field.
    ///   - priority: The place among the fields of a model: lower first, those without come last.
    ///   - key: The key in dictionaries, where it is not the name of the model's property.
    @inlinable
    public init(
        value: Value? = nil,
        name: String? = nil,
        priority: Int? = nil,
        key: FieldKey? = nil
    ) {
        super.init(value)
        if name != nil || priority != nil || key != nil { describe(name, priority, key) }
    }

    deinit {
        if let details { detachObservers(details) }
    }

    /// The value.
    ///
    /// Setting it stamps the field, discards its validation and notifies its observers.
    ///
    /// A set to the value that was there is a set too; only `changedAt` and observers of changes
    /// do not notice it.
    @inlinable
    public final var value: Value? {
        get {
            if Tracking.isOn { return trackedValue() }
            lock.lock()
            let value = storage
            lock.unlock()
            return value
        }
        set { set(newValue) }
    }

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

    /// Sets the value to that of the observable.
    @inlinable
    public final func valueChanged(_ observable: any ValueObservable<Value>, value: Value?) {
        set(value)
    }

    /// Calls a closure once now, then whenever the field is set.
    @inlinable @discardableResult
    public final override func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation {
        register(Observer(trigger, .plain(body)))
    }

    @usableFromInline @inline(never)
    final func describe(_ name: String?, _ priority: Int?, _ key: FieldKey?) {
        let details = ensureDetails()
        lock.withLock {
            details.name = name
            details.priority = priority
            details.key = key
        }
    }

    /// What the field takes in place of a value: that value if it is in the domain.
    ///
    /// Asked only of fields with the trait. The lock must not be held.
    @usableFromInline
    func normalise(_ value: Value?) -> Value? {
        guard let value, let domain else { return value }
        return domain.nearest(to: value)
    }

    /// What is left of a value without the parts that the domain does not take; nil if that is
    /// nothing.
    func admissiblePart(of value: Value) -> Value? { nil }

    /// Why the domain does not take a value as it is.
    func collectDomainIssues(of value: Value, at path: FieldPath, into issues: inout [Issue]) {
        domain?.core.rule.check(value, at: path, into: &issues)
    }

    public final override func endEditing() { release() }

    public final override func touch() {
        let custom = FieldClock.overriddenStamp()
        lock.lock()
        let stamp = custom ?? Stamp.system()
        let revision = Revision.next()
        let known = load
        if custom != nil { updated = .none }
        noteCommit(revision, stamp, changed: true)
        load = known
        guard let state else { return lock.unlock() }
        var change = Change(old: storage, new: storage, isChange: true, revision: revision)
        change.isForced = true
        // No edits could tell that the elements have changed inside.
        notify(change, .reset, state, stamp)
    }

    public final override var valueType: Any.Type { Value.self }

    public final override var anyValue: Any? { value }

    public final override func setAnyValue(_ newValue: Any?) throws(Issue) {
        try setAny(newValue)
    }

    /// Another field with the same value, times, load state, name, key, priority, rules, validation
    /// mode, domain, equality and transformer; without observers, bindings and what a validation said.
    ///
    /// - Returns: A field of the same kind; of a subclass of another module, a plain one.
    public override func copy() -> Field<Value> {
        let copy = makeCopy()
        copy.adopt(self)
        return copy
    }

    @discardableResult
    public final override func merge(from other: AnyField) throws(Issue) -> Bool {
        guard let field = other as? Field<Value> else {
            throw .wrongType(other.valueType, expected: Value.self)
        }
        return merge(from: field)
    }

    // What the layers above ask of a field of whatever type.

    package final override func isDifferent(from other: AnyField) -> Bool {
        guard let other = other as? Field<Value> else { return false }
        return isDifferent(value, other.value)
    }

    @discardableResult
    package final override func take(
        _ other: AnyField,
        at revision: UInt64? = nil,
        restoring: Bool = false
    ) -> UInt64? {
        guard let other = other as? Field<Value> else { return nil }
        return takeValue(of: other, at: revision, restoring: restoring)
    }

    @discardableResult
    @inlinable
    public final override func validate() -> ValidationState {
        let findings = validateKnown(adding: [])
        return findings.isPlain ? .valid : ValidationState(findings)
    }

    /// The issues of the elements of a value, by the rules of the field that describes one.
    ///
    /// Only `ArrayField` has any.
    @usableFromInline
    func collectElementIssues(of value: Value?, at path: FieldPath, into issues: inout [Issue]) {}

    package final override func validate(adding known: [Issue]) -> [Issue] {
        validateKnown(adding: known).issues
    }

    package final override func findIssues(at path: FieldPath, into issues: inout [Issue]) {
        collectIssues(at: path, into: &issues)
    }

    package final override func attributeValue(in traversal: inout Traversal) -> AttributeValue? {
        exportValue(in: &traversal)
    }

    @discardableResult
    package final override func read(
        _ value: AttributeValue,
        at path: FieldPath,
        revision: UInt64?,
        in scope: inout ImportScope
    ) -> UInt64? {
        importValue(value, at: path, revision: revision, in: &scope)
    }

    package final override func form(
        of value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> AttributeValue? {
        convert(value, at: path, in: &scope).flatMap { attributeValue(of: $0) }
    }

    package final override func reads(
        _ value: AttributeValue,
        in registry: TransformerRegistry?
    ) -> Bool {
        var scope = ImportScope(in: registry)
        return transformer(in: registry)?.read(value, [], &scope) != nil
    }

    package final override func valueDescription(in traversal: inout Traversal) -> String? {
        describeValue(in: &traversal)
    }

    package final override var isConvertible: Bool { transformer != nil }

    package final override var holdsModels: Bool {
        lock.withLock { hasClassForm || state?.holdsModels ?? false }
    }

    package final override func form(
        in registry: TransformerRegistry?
    ) -> (kind: AttributeKind, showsValue: Bool, isNumber: Bool) {
        guard let transformer = transformer(in: registry) else { return (.any, false, false) }
        return (transformer.kind, transformer.showsValue, transformer.isNumber)
    }

    package final override var ruleConstraint: Constraint {
        Constraint(all: rules.map(\.constraint))
    }

    package final override var domainConstraint: Constraint { domain?.constraint ?? .all([]) }

    package final override var attributeKind: AttributeKind { transformer?.kind ?? .any }

    final override func inverseView(of object: RelatedObject) -> InverseView? { view(of: object) }

    override func take(
        _ step: InverseStep,
        _ stamp: RelatedStamp,
        _ outflow: inout InverseOutflow
    ) {
        takeRelated(step, stamp, &outflow)
    }

    final override func takeElementDomain() {
        let details = ensureDetails()
        lock.withLock {
            details.domainChanges += 1
            traits.insert(.domain)
        }
        constrainValue()
    }

    final override func queueWithheld(_ owing: inout [DeliveryLoop.Entry]) {
        lock.lock()
        enqueueWithheld(&owing)
    }

    final override func sendOn(in pass: PropagationPass) {
        Superseded(self).resend(in: pass, PropagationOptions(hasOwnTime: FieldClock.isOverridden))
    }

    package final override var isRelated: Bool { relation != nil }

    package final override func unload() { unloadValue() }

    package final override func resumeDelivery() {
        DeliveryLoop.run { Self.drain(self, $0) }
    }

    package final override func observeInternally(
        everySet: Bool,
        by owner: AnyObject?,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation? {
        let observer = Observer<Value>(.changes, owner: owner, .plain(body))
        observer.isInternal = true
        observer.takesSets = everySet
        return register(observer)
    }

    package final override func hookChanges(
        starting: Bool,
        by owner: AnyObject?,
        _ body:
            @escaping @Sendable (_ old: (any Sendable)?, _ new: (any Sendable)?, HookCall) -> Void
    ) -> Observation? {
        if starting {
            return hook(by: owner) { old, new, call in if call != .set { body(old, new, call) } }
        }
        let observer = Observer<Value>(.changes, owner: owner, .change { body($0, $1, .change) })
        observer.isInternal = true
        return register(observer)
    }

    @usableFromInline
    final override func makeDetails() -> FieldDetails { FieldState<Value>() }

    /// The form that the class of the field gives its values, if it gives them one.
    func makeClassForm() -> FieldTransformer<Value>? {
        (self as? any FormingField)?.classForm as? FieldTransformer<Value>
    }

    /// The details as what they are for this value type.
    ///
    /// The lock must be held.
    @inlinable @inline(__always)
    final var state: FieldState<Value>? {
        guard let details else { return nil }
        // `makeDetails` makes no other.
        return unsafeDowncast(details, to: FieldState<Value>.self)
    }

    /// Whether it is as one is that was declared without anything.
    final var isBare: Bool {
        lock.withLock { details == nil && traits.isEmpty && lastRevision == 0 && storage == nil }
    }

    @usableFromInline
    final func ensureState() -> FieldState<Value> {
        unsafeDowncast(ensureDetails(), to: FieldState<Value>.self)
    }
}
