import ModelKitPostgreSQL

extension PostgreSQLResult {
    /// A text, or JSON; nil for null.
    func text(_ row: Int = 0, _ column: Int = 0) -> String? {
        isNull(row, column) ? nil : bytes(row, column).read { String(decoding: $0, as: UTF8.self) }
    }

    /// An integer of eight bytes.
    func number(_ row: Int = 0, _ column: Int = 0) -> Int64? {
        let bytes = bytes(row, column)
        return bytes.count == 8 ? bytes.int64 : nil
    }
}

extension PostgreSQLParameters {
    mutating func append(_ text: String) { append(.text) { $0 += text.utf8 } }

    mutating func append(_ number: Int64) {
        append(.int8) { bytes in withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
    }

    /// A number or a text; anything else is null.
    mutating func append(value: Any?) {
        switch value {
        case let text as String: append(text)
        case let number as Int: append(Int64(number))
        default: appendNull(.text)
        }
    }

    init(_ values: Any?...) {
        self.init()
        for value in values { append(value: value) }
    }
}
