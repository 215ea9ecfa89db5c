public import ModelKitFields
public import ModelKitModels

/// What a live query has found, and how that differs from what it found before.
///
/// ```swift
/// for try await result in store.observe(Person.self, orderBy: .ascending(\.name)) {
///     table.apply(result.edits)
/// }
/// ```
public struct LiveResult<M: Model>: Sendable {
    /// The models now.
    public let models: LiveList<M>
    /// The places of the models in the whole answer: of a window those of its `places` where there are models, else all.
    public let range: Range<Int>
    /// How many models the whole answer has, which is of a window mostly more than it shows.
    public let total: Int
    /// What leads from the models of the result before to these, one edit after the other; the first result has one
    /// alone, a `.reset`.
    ///
    /// No edit has a model that is in neither result. Where the store was not asked, each model is in one at most.
    public let edits: [ArrayEdit<M>]
    /// Those of before whose records were written since.
    ///
    /// Observers of their fields are notified of what has changed in them, too.
    public let updated: [M]
    /// Whether it is the first one.
    public let isFirst: Bool
    /// The models before.
    let old: LiveList<M>

    /// The same as a change of an array, which copies all models before and now.
    public var change: ArrayChange<M> {
        ArrayChange(old: Array(old), new: Array(models), edits: edits)
    }
}
