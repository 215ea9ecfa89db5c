public import ModelKitFields
public import ModelKitEssentials

/// Writes a JSON array of models bit by bit.
///
/// ```swift
/// var writer = ModelArrayWriter(isPretty: true)
/// for try await people in store.pages(of: Person.self) { output.write(try writer.write(people)) }
/// output.write(writer.finish())
/// ```
///
/// The bytes together are those of `people.jsonData()` of all of them.
public struct ModelArrayWriter: Sendable {
    private let context: ValueTransformerContext
    private let isPretty: Bool
    private var isEmpty = true

    /// - Parameters:
    ///   - context: How models are written there.
    ///   - isPretty: Whether the text is laid out for people.
    public init(in context: ValueTransformerContext = .default, isPretty: Bool = false) {
        (self.context, self.isPretty) = (context, isPretty)
    }

    /// The next bytes, which are those of some models.
    ///
    /// - Throws: As `jsonData()` of them.
    public mutating func write(_ models: [some Model]) throws(ImportError) -> Data {
        if models.isEmpty { return Data() }
        let array = try models.jsonData(in: context, isPretty: isPretty)
        defer { isEmpty = false }
        // Without the brackets, and the line break before the last one.
        return Data((isEmpty ? "[" : ",").utf8) + array.dropFirst().dropLast(isPretty ? 2 : 1)
    }

    /// The last bytes.
    public func finish() -> Data { Data((isEmpty ? "[]" : isPretty ? "\n]" : "]").utf8) }
}
