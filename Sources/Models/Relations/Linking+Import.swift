import ModelKitFields

extension Linking {
    /// Runs a closure that reads models, which are linked when it returns, and only then: what is
    /// dropped as it throws is seen in no relation, and nothing keeps it alive.
    ///
    /// - Parameters:
    ///   - type: The type of the models; those in their fields are meant, too.
    ///   - body: Reads them.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    package static func afterwards<M: Model, Result, Failure: Error>(
        of type: M.Type,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch mode {
        case .alone, .deferred: return try body()
        case .collecting(let models):
            let start = models.count
            do throws(Failure) { return try body() } catch {
                models.drop(from: start)
                throw error
            }
        case .linking: break
        }
        guard type.schema.mayLink else { return try body() }
        let models = DeferredLinks()
        // What a closure throws cannot leave the other one as its own type.
        let result = ModelTask.with(.collecting(models)) {
            Swift.Result { () throws(Failure) in try body() }
        }
        if case .failure = result { models.drop(from: 0) }
        models.close()
        return try result.get()
    }

    /// Runs a closure, whose models are dropped unless it gives something.
    @discardableResult
    static func attempt<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        guard case .collecting(let models) = mode else { return try body() }
        let start = models.count
        var isDropped = true
        defer { if isDropped { models.drop(from: start) } }
        let result = try body()
        isDropped = result == nil
        return result
    }

    /// Runs a closure that reads into a model that is in use, and so are those that it gets.
    static func inUse(_ body: () -> Void) {
        guard case .collecting(let models) = mode else { return body() }
        let start = models.count
        body()
        models.link(from: start)
    }
}
