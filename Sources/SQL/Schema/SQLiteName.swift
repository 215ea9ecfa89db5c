/// A name as SQLite compares names: by bytes, but for the case of ASCII letters.
struct SQLiteName: Hashable {
    private let bytes: [UInt8]

    init(_ name: String) {
        bytes = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
