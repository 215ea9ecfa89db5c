/// The values of some of a type's properties: what a form has collected so far.
///
/// ```swift
/// struct User { let firstName: String, lastName: String, age: Int? }
///
/// var partial = Partial<User>()
/// partial.update(\.firstName, to: "Ian")
/// partial.age = nil                     // the property is optional, so nil is a value
/// try partial.value(for: \.firstName)   // "Ian"
/// partial.lastName                      // nil, where value(for:) throws
/// ```
///
/// Each key path is a property of its own: what is set for `\.pet` says nothing about `\.pet.name`,
/// which `value(for: \.pet, \.name)` reads.
///
/// Where types are isolated to the main actor by default, the type is declared `nonisolated`, as key
/// paths of isolated properties are not Sendable; one that is `PartialInitializable` is so anyway.
@dynamicMemberLookup
public struct Partial<Root>: Sendable {
    /// What `value(for:)` throws.
    public typealias Error = PartialError<Root>

    private var values: [PropertyKey<Root>: any PartialValue] = [:]
    private var order: [PropertyKey<Root>] = []

    public init() {}

    /// The key paths that are set, in the order of their first setting.
    ///
    /// One that was removed and set again is last.
    public var keyPaths: [any PartialKeyPath<Root> & Sendable] { order.map(\.keyPath) }

    /// Whether a value is set, be it nil.
    public func contains(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Bool {
        values[PropertyKey(keyPath: keyPath)] != nil
    }

    /// Sets the value of a property; nil removes it.
    public mutating func update<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value> & Sendable,
        to newValue: Value?
    ) {
        guard let newValue else { return remove(keyPath) }
        setValue(newValue, for: keyPath)
    }

    /// Sets the value of an optional property; nil is stored.
    public mutating func update<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value?> & Sendable,
        to newValue: Value?
    ) {
        setValue(newValue, for: keyPath)
    }

    /// Sets the value of a property; nil of an optional property is stored.
    public mutating func setValue<Value: Sendable>(
        _ value: Value,
        for keyPath: any KeyPath<Root, Value> & Sendable
    ) {
        let key = PropertyKey(keyPath: keyPath)
        if values.updateValue(Stored(value: value), forKey: key) == nil { order.append(key) }
    }

    /// Removes the value of a property, if there is one.
    public mutating func remove(_ keyPath: any PartialKeyPath<Root> & Sendable) {
        let key = PropertyKey(keyPath: keyPath)
        if values.removeValue(forKey: key) != nil { order.removeAll { $0 == key } }
    }

    /// Removes the value of a property and returns it; nil if there was none.
    @discardableResult
    public mutating func removeValue<Value: Sendable>(
        for keyPath: any KeyPath<Root, Value> & Sendable
    ) -> Value? {
        defer { remove(keyPath) }
        return storedValue(for: keyPath)
    }

    /// The value of a property.
    ///
    /// - Throws: `keyPathNotSet` if none is set, of an optional property too.
    public func value<Value: Sendable>(
        for keyPath: any KeyPath<Root, Value> & Sendable
    ) throws(PartialError<Root>) -> Value {
        guard let value = storedValue(for: keyPath) else { throw .keyPathNotSet(keyPath) }
        return value
    }

    /// A property of the value of a property.
    ///
    /// - Throws: `keyPathNotSet` if no value is set for the first key path.
    public func value<Value: Sendable, Inner>(
        for keyPath: any KeyPath<Root, Value> & Sendable,
        _ inner: KeyPath<Value, Inner>
    ) throws(PartialError<Root>) -> Inner {
        try value(for: keyPath)[keyPath: inner]
    }

    /// The form as a whole: not a literal where it is used, as one in a function of a parameter pack
    /// crashes.
    static var whole: any PartialKeyPath<Root> & Sendable { \Root.self }

    func storedValue<Value: Sendable>(for keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
        (values[PropertyKey(keyPath: keyPath)] as? Stored<Value>)?.value
    }

    /// Whether no value is set, or nil.
    func isMissing(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Bool {
        values[PropertyKey(keyPath: keyPath)]?.isMissing ?? true
    }
}

extension Partial: CustomStringConvertible {
    /// The values, in the order of `keyPaths`: a key path does not know the name of its property.
    public var description: String {
        let texts = order.compactMap { values[$0]?.description }
        return "Partial<\(Root.self)>(\(texts.joined(separator: ", ")))"
    }
}
