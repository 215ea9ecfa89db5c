package import ModelKitStores

/// The word with which a statement begins, in capitals: `SELECT`.
package struct SQLVerb {
    package let text: String

    /// - Parameter sql: One statement, with what databases take for blanks before it.
    package init(of sql: String) {
        var rest = Substring(sql).utf8
        while let byte = rest.first {
            if Self.blanks.contains(byte) {
                rest.removeFirst()
            } else if rest.starts(with: "--".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.starts(with: "/*".utf8) {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
                rest = rest.dropFirst(2)
            } else if rest.starts(with: "\u{FEFF}".utf8) {
                rest = rest.dropFirst(3)
            } else {
                break
            }
        }
        let word = rest.prefix { byte in
            let letter = byte | 0x20
            return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
        }
        text = String(decoding: word, as: UTF8.self).uppercased()
    }

    /// Whether it begins, ends or divides a transaction, or adds another file to it.
    private var isOfTransactions: Bool {
        [
            "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE",
            "PREPARE", "ATTACH", "DETACH",
        ].contains(text)
    }

    /// Throws for a statement that would end the migration's transaction, or is not of this database.
    package func checkMigration(_ sql: String) throws(StoreError) {
        if isOfTransactions {
            throw .unsupported(
                "a migration is one transaction, in which it cannot run \(text): \(sql)"
            )
        }
    }

    private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: ";")]
}
