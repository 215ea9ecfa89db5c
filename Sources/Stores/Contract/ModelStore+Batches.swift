public import ModelKitModels
public import ModelKitPromises

extension ModelStore {
    /// Adds several models, or none of them if one fails.
    public func create<M: Model>(_ models: [M]) -> Promise<[M]> {
        perform(models.map { .create($0) }).giving(models)
    }

    /// Writes what was edited in several models, or in none of them if one fails.
    public func update<M: Model>(_ models: [M]) -> Promise<[M]> {
        perform(models.map { .update($0) }).giving(models)
    }

    /// Creates or updates several models, or none of them if one fails.
    public func save<M: Model>(_ models: [M], onConflict: OnConflict = .fail) -> Promise<[M]> {
        perform(models.map { .save($0, onConflict: onConflict) }).giving(models)
    }

    /// Removes several models, or none of them if one fails.
    public func delete<M: Model>(_ models: [M]) -> Promise<[M]> {
        perform(models.map { .delete($0) }).giving(models)
    }

    /// Makes writes each on its own: what fails keeps no other from being made.
    ///
    /// ```swift
    /// let outcomes = try await store.perform(independently: drafts.map { .save($0) }).value
    /// for case (let draft, .failure(let error)) in zip(drafts, outcomes) { print(draft, error) }
    /// ```
    ///
    /// Cancelling the promise cancels each of them, and does not end it: it gives the outcome of each
    /// all the same.
    ///
    /// - Parameter writes: The writes, which are asked for in their order.
    /// - Returns: The outcome of each, in the same order.
    public func perform(
        independently writes: [ModelWrite]
    ) -> Promise<[Result<Void, any Error>]> {
        let made = writes.map { perform($0) }
        let (promise, resolver) = Promise<[Result<Void, any Error>]>.withResolvers()
        resolver.whenCancelled {
            for write in made { write.cancel() }
            return nil
        }
        Promise.allSettled(made).observe { resolver.resolve($0) }
        return promise
    }

    /// Makes one write.
    private func perform(_ write: ModelWrite) -> Promise<Void> {
        func open<M: Model>(_ model: M) -> Promise<Void> {
            switch write.action {
            case .create: create(model).giving(())
            case .update: update(model).giving(())
            case .save(let onConflict): save(model, onConflict: onConflict).giving(())
            case .delete: delete(model).giving(())
            }
        }
        return open(write.model.opened)
    }
}
