public import ModelKitModels

/// How an update is resolved whose record was written by somebody else since it was read.
///
/// ```swift
/// try await store.update(counter, onConflict: .merge { base, mine, theirs in
///     var result = theirs
///     result[\.n] = (theirs[\.n] ?? 0) + (mine[\.n] ?? 0) - (base[\.n] ?? 0)
///     return result
/// })
/// ```
public struct ConflictResolution<M: Model>: Sendable {
    /// Gives the values to be stored, of those that the model was edited from, those that it has, and those that
    /// are stored now.
    public typealias Merge =
        @Sendable (
            _ base: ModelValues<M>, _ mine: ModelValues<M>, _ theirs: ModelValues<M>
        ) throws -> ModelValues<M>

    let result: Merge

    /// Fields that both have changed get theirs; other edits are written.
    public static var theirs: ConflictResolution {
        .merge { base, mine, theirs in
            var result = mine
            for (key, value) in theirs.values
            where !AttributeValue.areSame(value, base.values[key]) {
                result.values[key] = value
            }
            return result
        }
    }

    /// A closure says what the fields get.
    ///
    /// It is called on whatever thread has read the record, without a lock, and once for each conflict: it
    /// may run several times, and should do nothing but compute. It has values and no models.
    ///
    /// - Parameter result: Gives the values to be stored, of those that the model was edited from, those that
    ///   it has, and those that are stored now. A field that it gives the value of `mine` is theirs all the
    ///   same if it was not edited. What it throws, the update fails with.
    /// - Returns: The resolution.
    public static func merge(_ result: @escaping Merge) -> ConflictResolution {
        ConflictResolution(result: result)
    }
}
