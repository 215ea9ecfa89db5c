import ModelKitFields

extension Linking {
    /// The import that reads now; nil outside of one, and where models are nobody's.
    static var reader: DeferredLinks? {
        if case .collecting(let models) = mode { models } else { nil }
    }

    /// Whether what is read now is let go of afterwards.
    static var isScratch: Bool { scratch != nil }

    /// What keeps the models that are read now, where they are nobody's.
    private static var scratch: ScratchModels? {
        if case .alone(let models) = mode { models } else { nil }
    }

    /// Whether nothing has to be known of models of a schema that are read now: they are in no relation,
    /// and no import is under way.
    package static func isNeedless(for schema: ModelSchema) -> Bool {
        TaskValues.upper == nil && !schema.mayLink
    }

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
            // Otherwise it is code of the user that another import calls, and this one's own.
            guard models.isMaking else { break }
            let start = models.mark
            do throws(Failure) {
                let result = try body()
                models.release(from: start)
                return result
            } catch {
                models.drop(from: start)
                throw error
            }
        case .linking: break
        }
        // Those of a map may have each other also without inverses.
        guard type.schema.mayLink || IdentityMap.importing?.isDeep == true else {
            return try body()
        }
        let models = DeferredLinks()
        // Whoever observes a model in use may see others of the import in it.
        return try batch { () throws(Failure) in
            // What a closure throws cannot leave the other one as its own type.
            let result = ModelTask.with(.collecting(models)) {
                Swift.Result { () throws(Failure) in try body() }
            }
            if case .failure = result { models.drop(from: .start) }
            models.close()
            return try result.get()
        }
    }

    /// Runs a closure, whose models are dropped unless it gives something.
    @discardableResult
    package static func attempt<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        guard let models = reader else { return try body() }
        let start = models.mark
        var isDropped = true
        defer { if isDropped { models.drop(from: start) } }
        let result = try body()
        isDropped = result == nil
        return result
    }

    /// Runs a closure that reads into a model that is in use, and so are those that it gets, also if
    /// the import around it fails.
    ///
    /// Its observers are notified when all of it is read and linked.
    package static func inUse<Result>(_ body: () -> Result) -> Result {
        batch {
            if reader == nil { return body() }
            let models = DeferredLinks()
            let result = ModelTask.with(.collecting(models), body)
            models.close()
            return result
        }
    }

    /// Makes a model that is to be read, which nobody has if that fails.
    static func making<M: Model>(_ type: M.Type) -> M {
        let mode = mode
        if case .collecting(let reader) = mode { return reader.making(type) }
        let model = type.init()
        if case .alone(let scratch) = mode { scratch?.add(model) }
        return model
    }

    /// Notes that a dictionary refers to a model that was read.
    static func noteReference() {
        reader?.noteReference()
        scratch?.noteReference()
    }
}
