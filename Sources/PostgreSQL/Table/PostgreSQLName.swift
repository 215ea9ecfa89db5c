import ModelKitSQL
import ModelKitStores

extension String {
    /// The longest name that PostgreSQL does not cut.
    private static let longestName = 63

    /// The name of a table, a column or an index as it is written in SQL, whatever it contains.
    ///
    /// - Throws: `.schema` for one that PostgreSQL cannot have.
    func checkedName() throws(StoreError) -> String {
        if utf8.contains(0) {
            throw .schema("the name \(debugDescription) contains U+0000")
        }
        if isEmpty { throw .schema("a table or a column has no name") }
        if utf8.count > Self.longestName {
            throw .schema(
                "the name \(debugDescription) is longer than \(Self.longestName) bytes, "
                    + "of which PostgreSQL has no more"
            )
        }
        return quoted(name: self)
    }

    /// The same name for something of the store itself; one that is too long ends with a hash instead.
    ///
    /// - Parameter content: What is to give another name if it changes; with it the name has a hash anyway.
    /// - Returns: The name, without quotes.
    func shortenedName(for content: String? = nil) -> String {
        if content == nil, utf8.count <= Self.longestName { return self }
        let digits = String((self + "\n" + (content ?? "")).stableHash, radix: 16)
        var start = self
        while start.utf8.count + 1 + digits.utf8.count > Self.longestName { start.removeLast() }
        return "\(start)_\(digits)"
    }

    /// FNV-1a of 64 bits, the same in every process.
    var stableHash: UInt64 {
        utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The text as a literal of SQL.
    var literal: String { quoted(name: self, by: "'") }
}
