public import ModelKitStores

/// What every model store has to do, as cases that a test of any framework runs.
///
/// ```swift
/// @Test(arguments: StoreContract.cases)
/// func `the store keeps the contract`(_ part: StoreContract.Case) async throws {
///     try await part.run { MemoryModelStore() }
/// }
/// ```
public enum StoreContract {
    /// One sentence about stores, and how it is tried out.
    ///
    /// ```swift
    /// for contract in StoreContract.cases { try await contract.run(on: { MyStore() }) }
    /// ```
    public struct Case: Sendable, CustomStringConvertible {
        /// What a store does.
        public let description: String
        private let body: @Sendable (ContractRun) async throws -> Void

        init(
            _ description: String,
            _ body: @escaping @Sendable (ContractRun) async throws -> Void
        ) {
            self.description = description
            self.body = body
        }

        /// Tries it out on a store.
        ///
        /// - Parameter makeStore: Makes an empty store. One that is a `RecordModelStore` is also
        ///   tried out with a second session over its records; cases that need one pass elsewhere.
        /// - Throws: A `ContractViolation`, or the error that the store failed with.
        public func run(on makeStore: () async throws -> any ModelStore) async throws {
            try await body(ContractRun(sentence: description, store: makeStore()))
        }
    }
}
