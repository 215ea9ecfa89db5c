import ModelKitFields

/// What checks ask for values: what a form has collected so far, or a value that is whole.
enum CheckSubject<Root> {
    case partial(Partial<Root>)
    case whole(Root)
}

extension CheckSubject {
    /// The value of a property; nil if there is none.
    func value<Value: Sendable>(for keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
        switch self {
        case .partial(let partial): partial.storedValue(for: keyPath)
        case .whole(let root): root[keyPath: keyPath]
        }
    }

    /// The value of a property.
    func get<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value> & Sendable
    ) throws(PartialError<Root>) -> Value {
        guard let value = value(for: keyPath) else { throw .keyPathNotSet(keyPath) }
        return value
    }

    /// The value inside of an optional property.
    func unwrap<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value?> & Sendable
    ) throws(PartialError<Root>) -> Value {
        guard let value = try get(keyPath) else { throw .keyPathNotSet(keyPath) }
        return value
    }

    /// Whether a property has no value, or nil.
    func isMissing(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Bool {
        switch self {
        case .partial(let partial): partial.isMissing(keyPath)
        case .whole(let root): unwrapped(root[keyPath: keyPath]) == nil
        }
    }
}
