extension IdentityMap {
    /// The map of an import.
    package struct Importing: Sendable {
        let map: IdentityMap
        /// Whether also models with fields of their own are those of the map.
        let isDeep: Bool
    }

    static var importing: Importing? { ModelTask.importing }

    /// Runs a closure, in which models are read with this map: in fields, foreign keys and nested
    /// dictionaries are the objects that it has.
    ///
    /// ```swift
    /// let people = try map.use { try [Person](json: data) }
    /// ```
    public func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try ModelTask.with(Importing(map: self, isDeep: true), body)
    }

    /// Runs a closure, in which foreign keys are read with this map.
    package func useForForeignKeys<Result>(_ body: () throws -> Result) rethrows -> Result {
        try ModelTask.with(Importing(map: self, isDeep: false), body)
    }
}
