import ModelKitFields

extension ModelSchema {
    /// The schemas of the classes that inherit from the type, by their names.
    ///
    /// Those are known that `ModelObject.subclasses` names, and that were used so far.
    package var subclasses: [ModelSchema] {
        guard let base = prototype as? ModelObject else { return [] }
        var seen: Set<ObjectIdentifier> = []
        Self.findNamed(Swift.type(of: base), &seen)
        return Self.known.withLock { $0[type] ?? [] }
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
        if schema.bases.isEmpty { return }
        known.withLock { known in
            for base in schema.bases {
                var list = known[base] ?? []
                if list.contains(where: { $0 === schema }) { continue }
                list.append(schema)
                list.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
                known[base] = list
            }
        }
    }

    /// The schemas of classes by the classes that they inherit from.
    private static let known = Guarded<[ObjectIdentifier: [ModelSchema]]>([:])
}
