import ModelKitFields

extension ModelSchema {
    /// The schemas of the classes that inherit from the type, by their names.
    ///
    /// Those are known that `ModelObject.subclasses` names, and that were used so far.
    package var subclasses: [ModelSchema] {
        guard let base = prototype as? ModelObject else { return [] }
        var seen: Set<ObjectIdentifier> = []
        Self.findNamed(Swift.type(of: base), &seen)
        return Self.known.below(type)
    }

    /// Finds the schemas of the classes that a class names, which notes them.
    private static func findNamed(_ type: ModelObject.Type, _ seen: inout Set<ObjectIdentifier>) {
        // Each has inherited what the class above says.
        for type in type.subclasses where seen.insert(ObjectIdentifier(type)).inserted {
            _ = type.schema
            findNamed(type, &seen)
        }
    }

    /// Notes that a class is in use.
    static func note(_ schema: ModelSchema) {
        if !schema.bases.isEmpty { known.add(schema) }
    }

    private static let known = KnownSubclasses()
}

/// The schemas of classes by the classes that they inherit from.
// Safe: the variable is guarded by the lock.
private final class KnownSubclasses: @unchecked Sendable {
    private let lock = Lock()
    private var schemas: [ObjectIdentifier: [ModelSchema]] = [:]

    func add(_ schema: ModelSchema) {
        lock.withLock {
            for base in schema.bases {
                var list = schemas[base] ?? []
                if list.contains(where: { $0 === schema }) { continue }
                list.append(schema)
                list.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
                schemas[base] = list
            }
        }
    }

    func below(_ type: ObjectIdentifier) -> [ModelSchema] { lock.withLock { schemas[type] ?? [] } }
}
