/// How far an import of a stream is.
///
/// ```swift
/// let people = Person.stream(contentsOf: url) { progress in
///     print(progress.fraction ?? 0, progress.modelCount)
/// }
/// ```
public struct ImportProgress: Hashable, Sendable {
    /// How many bytes have come.
    public internal(set) var byteCount: Int
    /// How many there are, if that is known: of a pipe it is not.
    public internal(set) var totalByteCount: Int?
    /// How many models were made of them.
    public internal(set) var modelCount: Int

    /// The part of the bytes that has come, from 0 to 1; nil if it is not known how many there are.
    public var fraction: Double? {
        guard let totalByteCount else { return nil }
        return totalByteCount > 0 ? min(1, Double(byteCount) / Double(totalByteCount)) : 1
    }
}
