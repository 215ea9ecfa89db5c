/// The name that a rule has in code for ModelKit.
///
/// ```swift
/// let even = ValidationRule<Int>(test: { $0 % 2 == 0 }, message: "must be even")
/// ```
public typealias ValidationRule = Rule

extension Rule {
    /// Makes a rule from a test, its parts by name.
    ///
    /// - Parameters:
    ///   - test: Whether the value passes. Called on any thread.
    ///   - message: What is wrong with a value that fails, as the end of a sentence.
    ///   - allowNil: Whether nil passes; otherwise it "is required".
    public init(
        test: @escaping @Sendable (Value) -> Bool,
        message: String = "is invalid",
        allowNil: Bool = true
    ) {
        self.init(message, allowNil: allowNil, test)
    }
}
