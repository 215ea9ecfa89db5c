public import ModelKitModels
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
    /// The cases, each a sentence about stores.
    public static let cases: [Case] =
        creating + updating + saving + writing + deleting + knowing + lookingUp + conflicting
        + listing
        + ordering + paging + concurrent + unique + relating + batches + transactions + lifecycle
        + observing + inheriting + cancelling + telling + deriving + graphs

    /// The types of the models that the cases keep, for stores that have to know them before.
    public static let types: [any Model.Type] = [
        ContractPerson.self, ContractItem.self, ContractSmall.self, ContractColor.self,
        ContractAccount.self, ContractCompany.self, ContractTree.self, ContractNote.self,
        ContractShape.self, ContractCircle.self, ContractOrder.self, ContractLine.self,
        ContractLedger.self, ContractEntry.self, ContractPost.self, ContractTag.self,
        ContractBadge.self, ContractBill.self, ContractBillItem.self,
        ContractRoom.self, ContractShelf.self, ContractBook.self,
    ]

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
