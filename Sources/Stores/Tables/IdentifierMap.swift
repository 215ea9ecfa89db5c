import ModelKitModels

/// Where the record of each identifier is, in small pieces: a copy shares those that are not changed.
struct IdentifierMap: Sendable {
    private(set) var count = 0
    /// A power of two of them.
    private var parts: ContiguousArray<[Identifier: Int64]> = [[:]]

    private static let most = 64

    subscript(identifier: Identifier) -> Int64? {
        get { parts[part(of: identifier)][identifier] }
        set {
            let part = part(of: identifier)
            let isThere = parts[part].count
            parts[part][identifier] = newValue
            count += parts[part].count - isThere
            if count > parts.count * Self.most { split() }
        }
    }

    private func part(of identifier: Identifier) -> Int {
        parts.count == 1 ? 0 : identifier.hashValue & (parts.count - 1)
    }

    private mutating func split() {
        let old = parts
        parts = ContiguousArray(repeating: [:], count: old.count * 2)
        for entries in old {
            for (identifier, place) in entries {
                parts[part(of: identifier)][identifier] = place
            }
        }
    }
}
