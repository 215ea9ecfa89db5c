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
open class Field<Value: Equatable & Sendable>: FieldCore<Value>, @unchecked Sendable {
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
        set { commit(newValue) }
    }

    /// Calls a closure once now, then whenever the field is set.
    @inlinable @discardableResult
    public final override func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation {
        register(Observer(trigger, .plain(body)))
    }

    final override func willBeRead() { noteAccess() }

    public final override var valueType: Any.Type { Value.self }

    public final override var anyValue: Any? { value }

    /// Another field with the same value, times, load state, name, key, priority, rules, validation
    /// mode, domain, equality and transformer; without observers, bindings and what a validation said.
    ///
    /// - Returns: A field of the same kind; of a subclass of another module, a plain one.
    public override func copy() -> Field<Value> {
        let isPlain = type(of: self) == Field<Value>.self
        let blank = isPlain ? nil : (self as? any FormingField)?.makeBlank() as? Field<Value>
        let copy = blank ?? Field<Value>()
        copy.adopt(self)
        return copy
    }

    package final override func snapshot() -> AnyField {
        let isPlain = lock.withLock {
            traits.isDisjoint(with: [.equality, .domain, .related])
                && !hasClassForm && state?.holdsModels != true
        }
        guard isPlain, type(of: self) == Field<Value>.self else { return copy() }
        let copy = Field<Value>()
        copy.adopt(self, declaration: false)
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

    package final override func validate(adding known: [Issue]) -> [Issue] {
        if Value.self == String.self {
            return cast(to: String.self).validateValue(adding: known).issues
        }
        let code = FieldCode.of(Value.self).takeUnretainedValue()
        return (code.validate(self, known) ?? validateValue(adding: known)).issues
    }

    package final override func findIssues(at path: FieldPath, into issues: inout [Issue]) {
        collectIssues(at: path, into: &issues)
    }

    package final override func attributeValue(in traversal: inout Traversal) -> AttributeValue? {
        if hasClassForm { return exportAny(in: &traversal) }
        let code = FieldCode.of(Value.self)
        switch code._withUnsafeGuaranteedRef({ $0.export(self, traversal.registry) }) {
        case .other: return exportAny(in: &traversal)
        case .absent: return .none
        case .null: return .some(.null)
        case .value(let value): return value
        }
    }

    @discardableResult
    package final override func read(
        _ value: AttributeValue,
        at path: FieldPath,
        revision: UInt64?,
        in scope: inout ImportScope
    ) -> UInt64? {
        do throws(Issue) {
            let take =
                hasClassForm ? nil : FieldCode.of(Value.self)._withUnsafeGuaranteedRef { $0.take }
            if let taken = try take?(self, value, revision, scope.registry) { return taken }
        } catch let error where givenTransformer == nil && Value.self != [String].self {
            // Of an array there may be more to report.
            scope.issues.append(error.bounded.prefixed(by: path))
            return nil
        } catch {}
        return importAny(value, at: path, revision: revision, in: &scope)
    }

    package final override func takeNew(
        _ value: UnsafePointer<AttributeValue>,
        _ revision: UInt64,
        _ stamp: Stamp
    ) -> Bool {
        takeNewValue(value, revision, stamp)
    }

    package final override func form(
        of value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> AttributeValue? {
        convert(value, at: path, in: &scope).flatMap { attributeValue(of: $0) }
    }

    package final override var holdsModels: Bool {
        lock.withLock { hasClassForm || state?.holdsModels ?? false }
    }
}
