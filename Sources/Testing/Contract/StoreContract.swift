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
        /// What not every store has; one that says so passes.
        enum Need { case transactions, liveQueries, counts, sums }

        /// What a store does.
        public let description: String
        private var needs: [Need]
        private let file: String
        private let body: @Sendable (ContractRun) async throws -> Void

        init(
            _ description: String,
            _ needs: [Need] = [],
            file: String = #fileID,
            _ body: @escaping @Sendable (ContractRun) async throws -> Void
        ) {
            self.description = description
            self.needs = needs
            self.file = file
            self.body = body
        }

        /// The same for stores that have something more.
        func needing(_ need: Need) -> Case {
            var copy = self
            copy.needs.append(need)
            return copy
        }

        /// Tries it out on a store.
        ///
        /// - Parameter makeStore: Makes an empty store. One that is a `RecordModelStore` is also
        ///   tried out with a second session over its records; cases that need one pass elsewhere.
        /// - Throws: A `ContractViolation`, or the error that the store failed with.
        public func run(on makeStore: () async throws -> any ModelStore) async throws {
            let store = try await makeStore()
            do {
                for need in needs {
                    switch need {
                    case .transactions: try await store.transaction { _ in }.value
                    case .counts: _ = try await store.count(ContractItem.self)
                    case .sums: _ = try await store.sum(ContractItem.self, of: \.id)
                    case .liveQueries: for try await _ in store.observe(ContractItem.self) { break }
                    }
                }
            } catch StoreError.unsupported {
                return
            }
            do {
                try await body(ContractRun(sentence: description, file: file, store: store))
            } catch is ContractRun.Passed {}
        }
    }
}
