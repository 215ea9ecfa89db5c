/// The models that an export is inside of, so that a cycle ends.
package struct Traversal {
    /// The models on the way from the first one to here.
    package private(set) var models: [ObjectIdentifier] = []

    package init() {}

    /// Runs a closure inside a model; gives nil when the export is inside of it already.
    package mutating func visit<Result>(
        _ model: AnyObject,
        _ body: (inout Traversal) -> Result
    ) -> Result? {
        let identity = ObjectIdentifier(model)
        guard !models.contains(identity) else { return nil }
        models.append(identity)
        defer { models.removeLast() }
        return body(&self)
    }
}
