public import ModelKitModels

/// What an import has made so far, or in all.
///
/// ```swift
/// let summary = try await store.importModels(Person.stream(contentsOf: url).elements)
/// print("\(summary.createdCount) stored, \(summary.refusedCount) refused")
/// for refusal in summary.refusals { print(refusal) }
/// ```
public struct ImportSummary: Sendable, Hashable {
    /// How many models were added.
    public internal(set) var createdCount = 0
    /// How many were refused.
    public internal(set) var refusedCount = 0
    /// The first of those, at most ``keptRefusals``, in their order.
    public internal(set) var refusals: [ImportRefusal] = []

    /// The foreign keys of what was added that lead to no record, the first ``keptRefusals`` of them.
    ///
    /// They are looked for after the last commit, and stay as they are. Those of what others have added since the
    /// import began may be among them; those in models that are kept inside are not looked at. Empty where nothing was
    /// added. Nil before the end; where they could not be read, or the task was cancelled by then; and in a store of
    /// your own.
    public internal(set) var danglingKeys: [DanglingKey]?

    /// How many refusals, and keys that lead to no record, are kept: 1 000.
    public static let keptRefusals = 1_000

    mutating func add(_ refusal: ImportRefusal) {
        refusedCount += 1
        if refusals.count < Self.keptRefusals { refusals.append(refusal) }
    }
}

/// A model that was not imported, and why.
///
/// ```swift
/// print(refusal)   // [3]: name cannot be blank; terms[1].end must not be before the start
/// ```
public struct ImportRefusal: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands in what is imported.
    public let path: FieldPath
    /// Its identifier; nil where it has none, or no model could be made.
    public let identifier: Identifier?
    /// What is wrong, with paths in the model.
    public let issues: [Issue]

    public var description: String {
        "\(path): " + issues.map(\.description).joined(separator: "; ")
    }
}
