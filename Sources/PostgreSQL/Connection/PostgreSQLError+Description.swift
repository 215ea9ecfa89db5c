import ModelKitEssentials
import ModelKitPromises

extension PostgreSQLError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    package var description: String {
        let code = sqlState.map { " (\($0))" } ?? ""
        return "PostgreSQL\(code): \(publicMessage.onOneLine)\(advice)\(statement)"
    }

    /// What to do about it, where that is known.
    private var advice: String {
        switch sqlState {
        // Of what was compiled on a connection the next transaction finds another one.
        case "26000"?, "42P05"?: "; a pooler of transactions needs the mode .pooled"
        case "40001"?, "40P01"?: "; the same may succeed when it is tried again"
        default: ""
        }
    }

    /// The same, as the fields may quote values.
    package var debugDescription: String { description }

    package var errorDescription: String? { description }

    /// The message, in which errors of data (class 22) quote the value.
    private var publicMessage: String {
        sqlState?.hasPrefix("22") ?? false ? message.withoutQuotedPart : message
    }

    /// The beginning of the statement.
    private var statement: String {
        guard let sql else { return "" }
        let line = sql.onOneLine
        return line.count > 120 ? " (in \"\(line.prefix(120))…\")" : " (in \"\(line)\")"
    }
}

extension PostgreSQLError: CancellableError {
    package var isCancellation: Bool { kind == .cancelled }
}

extension String {
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// Whether it would end before its end in C.
    var hasZeroByte: Bool { withCString { strlen($0) } != utf8.count }

    /// It without what is between the first and the last quotation mark, as the languages of servers have them, or after
    /// the only one.
    var withoutQuotedPart: String {
        // Not characters: one that joins what is before it would hide a mark.
        let (text, marks) = (unicodeScalars, "\"«»‹›„“”‚‘’「」".unicodeScalars)
        guard let first = text.firstIndex(where: marks.contains),
            let last = text.lastIndex(where: marks.contains)
        else { return self }
        return String(text[...first]) + "…" + (first < last ? String(text[last...]) : "")
    }
}
