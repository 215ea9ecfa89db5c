import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// The column of a field, and how values go into it and come back.
final class PostgreSQLColumn: SQLColumn {
    let entry: ModelSchema.Entry
    let key: FieldKey
    /// The kind of the field's values; that of a foreign key is any.
    let kind: AttributeKind
    /// The kind as which they are kept: a foreign key has that of its partner's identifier, and UUIDs may be texts.
    let stored: AttributeKind
    let name: String
    /// The name as it is written in SQL, and with the table's before it.
    let quotedName: String
    let sql: String
    let comparable: String
    let sortable: String
    let precedence: String

    private let schema: ModelSchema

    /// - Parameters:
    ///   - entry: The field.
    ///   - schema: The type.
    ///   - table: The name of the table, as it is written in SQL.
    ///   - textUUIDs: The names of the columns whose UUIDs are texts.
    /// - Throws: `.schema` for a name that PostgreSQL cannot have.
    init(
        _ entry: ModelSchema.Entry,
        of schema: ModelSchema,
        table: String,
        _ textUUIDs: Set<String> = []
    ) throws(StoreError) {
        self.entry = entry
        self.schema = schema
        key = entry.key
        kind = entry.kind
        let identity = entry.isForeignKey && kind == .any ? entry.partnerSchema?.identifier : nil
        name = key.columnName
        let stored = identity?.kind ?? kind
        self.stored = textUUIDs.contains(name) ? stored.withoutUUIDs : stored
        quotedName = try name.checkedName()
        sql = "\(table).\(quotedName)"
        comparable = stored.comparable(sql)
        precedence = stored.precedence(sql)
        // As the text or the number that the key is.
        let isKey = identity != nil && stored.holdsNumberTexts
        sortable = isKey ? precedence : stored.sortable(sql)
    }

    var typeName: String { stored.typeName }
    var declaredType: String { stored.declaredType }

    /// Whether it is a foreign key that is kept as a number though some or all keys are texts.
    var holdsKeyTexts: Bool { kind == .any && stored.holdsNumberTexts }

    /// The number that it has, if it can have one as an identifier; NULL of a text.
    var number: String {
        stored == .any
            ? "CASE WHEN \(sql) < 'o' THEN split_part(\(sql), ' ', 2)::numeric END" : sql
    }

    /// Something else as it compares with the column.
    func collated(_ sql: String) -> String { stored.isCollated ? "\(sql) COLLATE \"C\"" : sql }

    /// Whether it can hold an identifier.
    func canHold(_ identifier: Identifier) -> Bool {
        if case .string(let text) = identifier {
            if text.hasZeroByte { return false }
            if stored == .uuid { return PostgreSQLUUID.number(of: text) != nil }
        }
        return identifier.attributeValue.isStorable(as: stored)
    }

    // MARK: Values

    /// Binds a value to the next parameter.
    func append(_ value: AttributeValue, to parameters: inout PostgreSQLParameters) throws {
        if value.isNull { return parameters.appendNull(stored.postgreSQLType) }
        try parameters.append(stored.postgreSQLType) { bytes in
            try write(value, &bytes)
        }
    }

    /// Binds an array of values to the next parameter, for `unnest`.
    func appendArray(
        to parameters: inout PostgreSQLParameters,
        count: Int,
        _ value: (Int) throws -> AttributeValue
    ) throws {
        try parameters.append(stored.postgreSQLArray) { bytes in
            let plain = try AttributeKind.plainElements(count) { (stored, try value($0)) }
            if let (elements, hasNull) = plain {
                bytes.append(arrayOf: stored.postgreSQLType, count: count, hasNull: hasNull)
                return bytes.append(contentsOf: elements)
            }
            try bytes.append(arrayOf: stored.postgreSQLType, count: count) { index, bytes in
                let value = try value(index)
                if value.isNull { return false }
                try write(value, &bytes)
                return true
            }
        }
    }

    /// Appends a value as one of a row that is copied.
    func appendCopied(_ value: AttributeValue, to bytes: inout [UInt8]) throws {
        try bytes.appendSized { bytes in
            if value.isNull { return false }
            try write(value, &bytes)
            return true
        }
    }

    /// Appends the text of `StoredJSON` in place of such a value.
    func appendCopied(json text: String, to bytes: inout [UInt8]) throws {
        do throws(ValueRefusal) {
            try AttributeKind.check(json: text)
        } catch {
            throw refusal(error)
        }
        bytes.appendSized { bytes in
            bytes.append(contentsOf: text.utf8)
            return true
        }
    }

    private func refusal(_ refusal: ValueRefusal) -> StoreError {
        .unsupported("\(schema.name).\(key) \(refusal.reason)")
    }

    private func write(_ value: AttributeValue, _ bytes: inout [UInt8]) throws(StoreError) {
        try schema.check(value, of: entry)
        if kind != stored, !value.isStorable(as: stored) {
            throw .schema(
                "\(schema.name).\(key) leads to identifiers of the kind \(stored), but its value is "
                    + value.kind
            )
        }
        do throws(ValueRefusal) {
            try stored.write(value, to: &bytes)
        } catch {
            throw refusal(error)
        }
    }

    /// The value as a literal of SQL, which a definition needs.
    func literal(_ value: AttributeValue) throws -> String {
        var bytes: [UInt8] = []
        try write(value, &bytes)
        return stored.literal(value, bytes)
    }

    func value(_ result: PostgreSQLResult, _ row: Int, _ column: Int) throws(ColumnDamage)
        -> AttributeValue
    {
        try stored.value(result, row, column)
    }
}

extension AttributeKind {
    /// A value as a literal of SQL.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - bytes: The same as it is sent.
    /// - Returns: The literal.
    func literal(_ value: AttributeValue, _ bytes: [UInt8]) -> String {
        let text: String =
            switch (self, value) {
            case (.any, _): String(decoding: bytes, as: UTF8.self)
            case (_, .bool(let flag)): "\(flag)"
            case (_, .int(let number)): "\(number)"
            case (_, .double(let number)): "\(number)"
            case (_, .string(let text)): text
            // With a letter before it that says its kind.
            case (_, .data): "\\x" + (PostgreSQLVariant.operand(value) ?? "").dropFirst()
            case (_, .date): String((PostgreSQLVariant.operand(value) ?? "").dropFirst())
            default: String(decoding: bytes, as: UTF8.self)
            }
        return "\(text.literal)::\(typeName)"
    }

    /// A column by that name as it compares with others of the kind, and as an index has it.
    ///
    /// Of a variant it is the key of a number, which a double has that equals an integer; any two arrays or
    /// dictionaries are alike.
    func comparable(_ name: String) -> String {
        if self != .any { return name }
        return """
            CASE WHEN \(name) < 'o' THEN left(\(name), \(PostgreSQLVariant.keyLength)) \
            WHEN \(name) >= 'z' THEN 'z' ELSE \(name) END
            """
    }

    fileprivate func sortable(_ name: String) -> String {
        switch self {
        case .array, .dictionary: "CASE WHEN \(name) IS NOT NULL THEN 0 END"
        default: comparable(name)
        }
    }

    /// An identifier by the bytes of its text, if it is one: numbers first.
    fileprivate func precedence(_ name: String) -> String {
        switch self {
        case .decimal: "trim_scale(\(name))::text COLLATE \"C\""
        case .unsigned:
            """
            (CASE WHEN \(name) <= \(Int64.max) THEN 'n' || lpad(\(name)::text, 19, '0') \
            ELSE 's' || \(name)::text END) COLLATE "C"
            """
        default: name
        }
    }

    /// The text that a column by that name has, and NULL where it has something else; nil if it has no texts.
    func text(_ name: String) -> String? {
        switch self {
        case .string: name
        case .decimal: "trim_scale(\(name))::text"
        case .uuid: "upper(\(name)::text)"
        case .unsigned: "CASE WHEN \(name) > \(Int64.max) THEN \(name)::text END"
        case .any: "CASE WHEN \(name) >= 's' AND \(name) < 't' THEN substr(\(name), 2) END"
        default: nil
        }
    }
}
