import ModelKitModels
import ModelKitStores

/// What a column holds that no field of its kind has written.
package struct ColumnDamage: Error {
    package let reason: String

    package init(reason: String) { self.reason = reason }

    /// Of a text in a column of numbers.
    package init(noNumber text: String) {
        let shown = text.utf8.count > 100 ? text.prefix(100) + "…" : text[...]
        reason =
            "is the text \(shown.debugDescription), which is no number as this store writes them"
    }
}

extension AttributeValue {
    /// The value of `StoredJSON` in a column of a kind.
    package init(storedJSON text: String, as kind: AttributeKind) throws(ColumnDamage) {
        do throws(ImportError) {
            self = try StoredJSON.value(of: text)
        } catch {
            throw ColumnDamage(reason: error.description)
        }
        switch (kind, self) {
        case (.array, .array), (.dictionary, .dictionary), (.any, _): return
        default: throw ColumnDamage(reason: "holds \(self.kind) in JSON, not \(kind)")
        }
    }
}
