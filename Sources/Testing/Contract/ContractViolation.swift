/// What a store does otherwise than every store has to.
///
/// ```swift
/// do {
///     try await StoreContract.cases[0].run { MemoryModelStore() }
/// } catch let violation as ContractViolation {
///     print(violation)   // create gives the same instance: …
/// }
/// ```
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence that does not hold.
    public let sentence: String
    /// What was found instead.
    public let message: String
    /// Where in the contract it was found.
    public let file: String
    public let line: Int

    public var description: String { "\(sentence): \(message) (\(file):\(line))" }
}
