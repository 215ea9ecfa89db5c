import ModelKitModels
import ModelKitPromises

extension RecordModelStore {
    /// The same store, whose lists, pages and live queries leave out records that are damaged, or do not fit
    /// their type, instead of failing with the error of the first one.
    ///
    /// ```swift
    /// let people = try await store.skippingDamaged { error in print(error) }.list(Person.self).value
    /// ```
    ///
    /// An error names the type and the identifier, and the field where it is known. A live query reports a
    /// record that stays damaged at each result. What is damaged is left as it is: looking it up fails, and
    /// a model of its identifier that is saved with `.replace` takes its place. A file that is damaged as a
    /// whole, and a condition that cannot be asked of a damaged value, fail as ever.
    ///
    /// - Parameter report: Is called with the error of each record that is left out, on a thread of the
    ///   store's choice, before the result is there; it must not wait for the store.
    /// - Returns: The store that leaves them out.
    public func skippingDamaged(
        _ report: @escaping @Sendable (StoreError) -> Void
    ) -> some RecordModelStore {
        RecordModelStoreView(
            records: UndamagedRecords(base: records, report: report),
            session: session,
            deadline: deadline
        )
    }
}
