import ModelKitValues

/// A value that is edited beside the one it began with: what a form changes until it is saved.
///
/// ```swift
/// struct User: Equatable { var name: String, address: Address, age: Int? }
///
/// var draft = Draft(user)
/// draft.name = "Ian"
/// draft[\.address.street] = "High Street"
/// draft.isDirty(\.address)   // true; and false again once the street is what it was
/// draft.revert(\.name)
/// user = draft.commit()
/// ```
///
/// Changed is what differs from the base by `==` (two NaN do not), so a value that is typed back is
/// no change. One whose type is not Equatable is changed once it is set. Key paths may overlap: all
/// of them read and write one value, and each is compared by itself. `draft.address.street = …` sets
/// the whole address, and so keeps its city when the draft is put on another base.
///
/// A member of the draft hides a property of the same name, which `draft[\.value]` reaches. A key path
/// into an object sets nothing, as everybody would see it at once, and is reported to
/// `ModelKitDiagnostics`. One through `!` or an index traps, as everywhere, in a value or base where
/// it leads nowhere.
///
/// A draft is a value itself: a copy is another draft. Where types are isolated to the main actor by
/// default, the type is declared `nonisolated`, as key paths of isolated properties are not Sendable.
@dynamicMemberLookup
public struct Draft<Root: Sendable>: Sendable {
    /// What the draft is compared with.
    public private(set) var base: Root

    /// The base with the changes.
    public private(set) var value: Root

    /// The properties that were set and differ, in the order of their first change.
    private var edits: [PropertyKey<Root>] = []

    private var touchedKeys: [PropertyKey<Root>] = []

    /// A draft without changes.
    public init(_ base: Root) {
        self.base = base
        value = base
    }

    /// The key paths that were set and differ from the base, in the order of their first change.
    ///
    /// One that was the same meanwhile is last.
    public var changes: [any PartialKeyPath<Root> & Sendable] { edits.map(\.keyPath) }

    /// Whether anything differs from the base.
    public var isDirty: Bool { !edits.isEmpty }

    /// Whether a property differs from the base, by whatever key path it was changed; one that cannot
    /// be compared, whether it was set itself.
    public func isDirty(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Bool {
        let key = PropertyKey(keyPath: keyPath)
        return key.differs(base, value) ?? edits.contains(key)
    }

    /// Sets the value of a property.
    public mutating func update<Value: Sendable>(
        _ keyPath: any WritableKeyPath<Root, Value> & Sendable,
        to newValue: Value
    ) {
        guard !(keyPath is ReferenceWritableKeyPath<Root, Value>) else { return refuse() }
        let key = PropertyKey(keyPath: keyPath)
        value[keyPath: keyPath] = newValue
        if !edits.contains(key) { edits.append(key) }
        removeUnchanged()
    }

    /// Sets a property to what it is in the base.
    ///
    /// It is no longer touched either.
    public mutating func revert(_ keyPath: any PartialKeyPath<Root> & Sendable) {
        let key = PropertyKey(keyPath: keyPath)
        key.copy(from: base, into: &value)
        edits.removeAll { $0 == key }
        touchedKeys.removeAll { $0 == key }
        removeUnchanged()
    }

    /// Starts again with the base.
    public mutating func discard() {
        self = Draft(base)
    }

    /// Makes the value the new base.
    ///
    /// The draft is then clean and untouched.
    ///
    /// - Returns: The value.
    @discardableResult
    public mutating func commit() -> Root {
        self = Draft(value)
        return value
    }

    /// Puts the changes on another base, such as what a server answers; changes that it has itself
    /// are none any more.
    ///
    /// - Returns: The key paths that are changed here, and there to something else, in the order of
    ///   `changes`. The draft keeps its own value for them until they are reverted. Values that
    ///   cannot be compared count as changed there.
    @discardableResult
    public mutating func rebase(onto newBase: Root) -> [any PartialKeyPath<Root> & Sendable] {
        let conflicts = edits.filter {
            $0.differs(base, newBase) ?? true && $0.differs(newBase, value) ?? true
        }
        var newValue = newBase
        for key in edits { key.copy(from: value, into: &newValue) }
        base = newBase
        value = newValue
        removeUnchanged()
        return conflicts.map(\.keyPath)
    }

    private mutating func removeUnchanged() {
        edits.removeAll { $0.differs(base, value) == false }
    }

    private func refuse() {
        ModelKitDiagnostics.report(
            .draftOfObject,
            "a draft of \(Root.self) does not set a property of an object inside of it"
        )
    }
}

extension Draft {
    /// The properties that the user has been at, in the order of their first touch.
    public var touched: [any PartialKeyPath<Root> & Sendable] { touchedKeys.map(\.keyPath) }

    /// Notes that the user has been at a property; to set it does not.
    public mutating func touch(_ keyPath: any PartialKeyPath<Root> & Sendable) {
        if !isTouched(keyPath) { touchedKeys.append(PropertyKey(keyPath: keyPath)) }
    }

    /// Whether the user has been at a property.
    public func isTouched(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Bool {
        touchedKeys.contains(PropertyKey(keyPath: keyPath))
    }
}

/// A draft of a value of whatever type.
protocol ValueDraft {
    associatedtype Root

    var isDirty: Bool { get }
    var isTouched: Bool { get }
    mutating func discard()

    @discardableResult
    mutating func commit() -> Root
}

extension Draft: ValueDraft {
    var isTouched: Bool { !touchedKeys.isEmpty }
}

extension Draft: Equatable where Root: Equatable {}

extension Draft: CustomStringConvertible {
    /// The value, and how much of it is changed: a key path does not know the name of its property.
    public var description: String { "Draft(\(value), changes: \(edits.count))" }
}
