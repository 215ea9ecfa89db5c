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
    /// What a store cannot do for the sake of its database.
    ///
    /// ```swift
    /// try await part.run(within: [.numbersWithGaps]) { try store() }
    /// ```
    public struct Limits: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// No text has U+0000: it is refused.
        public static let textsWithoutZero = Limits(rawValue: 1)
        /// Dates are of the years 1 to 9999.
        public static let yearsOfFourDigits = Limits(rawValue: 2)
        /// Numbers that are made for identifiers leave some out, and revisions grow by more than 1.
        public static let numbersWithGaps = Limits(rawValue: 4)
    }

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
        /// - Parameters:
        ///   - limits: What the store cannot do, though all others can.
        ///   - makeStore: Makes an empty store. One that is a `RecordModelStore` is also
        ///     tried out with a second session over its records; cases that need one pass elsewhere.
        /// - Throws: A `ContractViolation`, or the error that the store failed with.
        public func run(
            within limits: Limits = [],
            on makeStore: () async throws -> any ModelStore
        ) async throws {
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
                try await body(
                    ContractRun(sentence: description, file: file, store: store, limits: limits)
                )
            } catch is ContractRun.Passed {}
        }
    }
}
