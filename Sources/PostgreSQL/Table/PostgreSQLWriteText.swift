import ModelKitModels
import ModelKitSQL

/// What a statement does that writes rows of a table, by which its text is known.
enum PostgreSQLWriteText: Hashable, Sendable {
    case insert(isOne: Bool)
    case update([Int], isOne: Bool)
    case delete(isOne: Bool)
}

extension PostgreSQLTable {
    /// The text of a statement, of which a hundred are kept.
    func text(_ statement: PostgreSQLWriteText, _ make: () -> String) -> String {
        if let known = texts.withLock({ $0[statement] }) { return known }
        let text = make()
        texts.withLock { if $0.count < 100 { $0[statement] = text } }
        return text
    }

    /// The column that an index is of; nil where that is none of this store's.
    func column(ofIndex name: String?) -> PostgreSQLColumn? {
        guard let name else { return nil }
        if let index = indexes.first(where: { $0.name == name }) { return index.column }
        return name == keyName ? identifierColumn : nil
    }
}
