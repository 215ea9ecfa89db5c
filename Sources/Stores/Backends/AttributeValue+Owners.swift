import ModelKitModels

// The value of a key: an identifier, those of several owners, or null.

extension AttributeValue {
    /// The owners that a key with this value has.
    var owners: [Identifier] {
        let values = if case .array(let all) = self { all } else { [self] }
        return values.compactMap { try? Identifier(attributeValue: $0) }
    }

    /// The value of the key without some owners.
    func without(_ owners: Set<Identifier>) -> AttributeValue {
        func isLeft(_ value: AttributeValue) -> Bool {
            (try? Identifier(attributeValue: value)).map { !owners.contains($0) } ?? true
        }
        if case .array(let all) = self { return .array(all.filter(isLeft)) }
        return isLeft(self) ? self : .null
    }
}
