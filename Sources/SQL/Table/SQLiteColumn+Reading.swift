import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension SQLiteColumn {
    /// What a column holds that no field of its kind has written.
    struct Damage: Error {
        let reason: String

        init(reason: String) { self.reason = reason }

        init(notANumber text: String) {
            let shown = text.utf8.count > 100 ? text.prefix(100) + "…" : text[...]
            reason =
                "is the text \(shown.debugDescription), which is no number as this store writes them"
        }
    }

    /// The value in a row; `.null` for NULL.
    func read(_ statement: SQLiteStatement, at index: Int) throws -> AttributeValue {
        try Self.read(statement, at: index, as: kind)
    }

    static func read(
        _ statement: SQLiteStatement,
        at index: Int,
        as kind: AttributeKind
    ) throws -> AttributeValue {
        let type = statement.type(at: index)
        switch (kind, type) {
        case (_, .null): return .null
        case (.string, .text), (.any, .text): return .string(try statement.string(at: index))
        case (.int, .integer), (.any, .integer): return .int(statement.int64(at: index))
        case (.double, .double), (.any, .double): return .double(statement.double(at: index))
        case (.double, .integer): return .double(Double(statement.int64(at: index)))
        case (.double, .blob): return .double(-0.0)
        case (.date, .integer):
            return .date(Timestamp.date(microseconds: statement.int64(at: index)))
        case (.data, .blob): return .data(try statement.data(at: index))
        case (.array, .text):
            if let array = try statement.withText(at: index, StoredJSON.plainArray) { return array }
            return try json(statement.string(at: index), as: kind)
        case (.dictionary, .text): return try json(statement.string(at: index), as: kind)
        case (.decimal, .text):
            let text = try statement.string(at: index)
            guard NumberText.isNumber(text) else { throw Damage(notANumber: text) }
            return .string(text)
        case (.unsigned, .text):
            let text = try statement.string(at: index)
            guard NumberText.isWide(text) else { throw Damage(notANumber: text) }
            return .string(text)
        case (.unsigned, .integer):
            let number = statement.int64(at: index)
            if number < 0 { throw Damage(reason: "is \(number), which is negative") }
            return .int(number)
        case (.bool, .integer):
            switch statement.int64(at: index) {
            case 0: return .bool(false)
            case 1: return .bool(true)
            case let number: throw Damage(reason: "is \(number), not 0 or 1")
            }
        case (.any, .blob): return try untagged(statement.data(at: index))
        default: throw Damage(reason: "holds a value of the type \(type), which it cannot")
        }
    }

    private static func json(_ text: String, as kind: AttributeKind) throws -> AttributeValue {
        let value: AttributeValue
        do throws(ImportError) {
            value = try StoredJSON.value(of: text)
        } catch {
            throw Damage(reason: error.description)
        }
        switch (kind, value) {
        case (.array, .array), (.dictionary, .dictionary), (.any, _): return value
        default: throw Damage(reason: "holds \(value.kind) in JSON, not \(kind)")
        }
    }

    private static func untagged(_ blob: Data) throws -> AttributeValue {
        let content = Data(blob.dropFirst())
        switch blob.first.flatMap(Tag.init(rawValue:)) {
        case .bool? where content.count == 1: return .bool(content.first == 1)
        case .data?: return .data(content)
        case .date? where content.count == 8:
            let number = content.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } ^ (1 << 63)
            return .date(Timestamp.date(microseconds: Int64(bitPattern: number)))
        case .json?: return try json(String(decoding: content, as: UTF8.self), as: .any)
        default: throw Damage(reason: "holds a blob that was not written by this store")
        }
    }
}
