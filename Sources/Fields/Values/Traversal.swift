/// The models that an export is inside of, so that a cycle ends, and the context it is made in.
package struct Traversal {
    /// The models on the way from the first one to here.
    package private(set) var models: [ObjectIdentifier] = []
    /// The context; nil for the default one.
    package let registry: TransformerRegistry?
    /// Whether there were models so deep inside of others that they were left out.
    package private(set) var isCut = false

    /// So many models are written inside of each other: as many levels as JSON may have.
    private static var limit: Int { 512 }

    /// So many models inside of each other fit on any stack.
    private static var harmless: Int { 4 }

    package init(in registry: TransformerRegistry? = nil) {
        self.registry = registry
    }

    /// Whether nil that was set is written.
    package var writesNull: Bool { registry?.explicitNull ?? true }

    /// Runs a closure inside a model; gives nil when the export is inside of it already, or too deep.
    package mutating func visit<Result>(
        _ model: AnyObject,
        _ body: (inout Traversal) -> Result
    ) -> Result? {
        let identity = ObjectIdentifier(model)
        guard !models.contains(identity) else { return nil }
        guard models.count < Self.limit else {
            isCut = true
            return nil
        }
        models.append(identity)
        defer { models.removeLast() }
        if models.count <= Self.harmless { return body(&self) }
        var result: Result?
        DeepStack.run(atDepth: models.count) { result = body(&self) }
        return result
    }
}
