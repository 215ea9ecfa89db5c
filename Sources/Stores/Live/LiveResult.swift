public import ModelKitFields
public import ModelKitModels

/// What a live query has found, and how that differs from what it found before.
///
/// ```swift
/// for try await result in store.observe(Person.self, orderBy: .ascending(\.name)) {
///     try table.apply(result.change.edits)
/// }
/// ```
public struct LiveResult<M: Model>: Sendable {
    /// The models before and now, and the edits that lead from the ones to the others; the first result
    /// is a `.reset`.
    public let change: ArrayChange<M>
    /// Those of before whose records were written since.
    ///
    /// Observers of their fields are notified of what has changed in them, too.
    public let updated: [M]
    /// Whether it is the first one.
    public let isFirst: Bool

    /// The models now.
    public var models: [M] { change.new }
}
