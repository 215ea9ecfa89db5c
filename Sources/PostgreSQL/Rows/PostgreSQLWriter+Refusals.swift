import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLWriter {
    /// How often numbers are made anew that records have already.
    static let mostAttempts = 10

    /// Makes writes, and again where a number that was made for one is that of a record.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - isInTransaction: Whether they are a part of one that began before, which does not see what has refused them
    ///     if that came later.
    ///   - make: Makes them; where it throws, it has taken back what it has done.
    /// - Returns: What it gives.
    /// - Throws: `.alreadyExists` where a unique index has refused one of them, and what else the closure throws.
    func making<Value>(
        _ writes: [RecordWrite],
        isInTransaction: Bool = false,
        _ make: () throws -> Value
    ) throws -> Value {
        var attempt = 1
        while true {
            do {
                return try make()
            } catch let error as PostgreSQLError where error.sqlState == "2200H" {
                // The end of a sequence.
                throw writes.first { $0.schema.identifier?.kind.makesNumbers ?? false }?
                    .schema.numbersAreUsedUp ?? error
            } catch let error as PostgreSQLError where error.kind == .tooLarge {
                for (_, own) in Dictionary(grouping: writes, by: { ObjectIdentifier($0.schema) }) {
                    let refusal = try table(own[0].schema).refusal(of: own, for: error)
                    if let refusal { throw refusal }
                }
                throw error
            } catch var error as PostgreSQLError
                where error.kind == .uniqueViolation && !error.isOfCopiedLog
            {
                let schema = writes.lazy.map(\.schema).first { $0.name == error.table }
                guard let schema else { throw error }
                let table = try table(schema)
                let own = writes.filter { $0.schema === schema }
                switch try table.conflict(of: error.constraint, connection) {
                case .column(let column):
                    let causes = try table.causes(of: column, own, connection)
                    if let cause = causes.min(by: { $0.key < $1.key }) { throw cause.value }
                case .order: break
                // An index of somebody else refuses them each time.
                case .others: throw error
                }
                try table.skipTakenNumbers(own, connection)
                // The other record is gone, or it was a number, or it is not to be seen here.
                guard attempt < Self.mostAttempts else {
                    if isInTransaction { error.kind = .serializationFailure }
                    throw error
                }
                attempt += 1
            }
        }
    }
}

extension PostgreSQLTable {
    /// How many bytes an entry of an index may have, which has the identifier, too, where the field is not unique.
    private static let mostBytesOfEntry = 2_704

    /// Why some writes are refused by an index of the store, for one of whose values an entry has no room; nil where it is
    /// something else that is too large.
    func refusal(of writes: [RecordWrite], for error: PostgreSQLError) -> StoreError? {
        guard error.sqlState == "54000" else { return nil }
        func length(_ column: PostgreSQLColumn) -> Int {
            let isIdentity = column === identifierColumn
            let values = writes.map { $0.given(column, isIdentity: isIdentity).value }
            return values.map(\.byteCount).max() ?? 0
        }
        var longest: PostgreSQLColumn? {
            guard error.isOfEntry else { return nil }
            let indexed = columns.filter { $0 === identifierColumn || $0.entry.isIndexed }
                .filter { length($0) > Self.mostBytesOfEntry }
            return indexed.max { length($0) < length($1) }
        }
        // The index of a much longer value is not named.
        let found = error.constraint.map(column(ofIndex:)) ?? longest
        return found.map { column in
            .unsupported(
                "\(schema.name).\(column.key) is too long for its index, whose entries have "
                    + "\(Self.mostBytesOfEntry) bytes at most"
            )
        }
    }

    /// What a unique index keeps apart.
    enum Conflict {
        case column(PostgreSQLColumn)
        /// The numbers of the order of creation, the next one of which may be free.
        case order
        case others
    }

    /// What a unique index keeps apart; a table that somebody else has made has other names for them.
    func conflict(
        of name: String?,
        _ connection: PostgreSQLConnection
    ) throws -> Conflict {
        if let column = column(ofIndex: name) { return .column(column) }
        var parameters = PostgreSQLParameters()
        for name in [space, schema.name, name ?? ""] { parameters.append(name) }
        let found = try connection.run(
            PostgreSQLStatement(
                """
                SELECT a.attname::text FROM pg_catalog.pg_index AS i \
                JOIN pg_catalog.pg_class AS c ON c.oid = i.indrelid \
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
                JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid \
                JOIN pg_catalog.pg_attribute AS a \
                ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] \
                WHERE n.nspname = $1 AND c.relname = $2 AND x.relname = $3 \
                AND i.indpred IS NULL AND i.indnkeyatts = 1
                """,
                parameters,
                isPrepared: false
            )
        )
        switch found.rowCount == 1 ? found.text(0, 0) : nil {
        case "_order": return .order
        case identifierColumn.name: return .column(identifierColumn)
        default: return .others
        }
    }

    /// Why the unique index of a column refuses some writes, by their places: another row has the value; or, where none
    /// has, an earlier one of them.
    func causes(
        of column: PostgreSQLColumn,
        _ writes: [RecordWrite],
        _ connection: PostgreSQLConnection
    ) throws -> [Int: StoreError] {
        let isIdentity = column === identifierColumn
        let given = writes.map { $0.given(column, isIdentity: isIdentity) }
        let values = Dictionary(given.map { ($0.value.compared, $0.value) }) { first, _ in first }
            .filter { !$0.key.isNull }.map(\.value)
        if values.isEmpty { return [:] }
        var holders: [AttributeValue: Identifier] = [:]
        let query = RecordQuery(filter: .isIn(column.key, values))
        for record in try PostgreSQLQuery(query, of: schema, connection, { _ in self }).records() {
            holders[(record[column.key] ?? .null).compared] = record.identifier
        }
        func refusal(_ holder: Identifier) -> StoreError {
            let field = isIdentity ? nil : column.key
            return .alreadyExists(type: schema.name, identifier: holder, field: field)
        }
        var causes: [Int: StoreError] = [:]
        for (place, (value, identifier)) in given.enumerated() where !value.isNull {
            guard let holder = holders[value.compared] else { continue }
            if isIdentity || holder != identifier { causes[place] = refusal(holder) }
        }
        if !causes.isEmpty { return causes }
        for (place, (value, identifier)) in given.enumerated() where !value.isNull {
            if let holder = holders[value.compared], isIdentity || holder != identifier {
                causes[place] = refusal(holder)
            } else if let identifier {
                holders[value.compared] = identifier
            }
        }
        return causes
    }

    /// Moves the sequence of numbers past those of the rows and of some writes, but for great ones that somebody has
    /// given.
    func skipTakenNumbers(_ writes: [RecordWrite], _ connection: PostgreSQLConnection) throws {
        guard makesNumbers else { return }
        let greatest = schema.greatestFollowed
        let given = writes.compactMap { write -> Int64? in
            guard case .create(.int(let number)?, _) = write.action else { return nil }
            return number <= greatest ? number : nil
        }
        var parameters = PostgreSQLParameters()
        parameters.append(given.max() ?? 0)
        parameters.append(greatest)
        _ = try connection.run(
            PostgreSQLStatement(
                """
                SELECT setval(\(numbers), greatest) FROM (SELECT greatest($1, \
                (SELECT max(\(identifierColumn.number))::bigint FROM \(name) \
                WHERE \(identifierColumn.number) <= $2)) AS greatest) AS rows \
                WHERE \(isNext("greatest", of: sequences.numbers))
                """,
                parameters
            )
        )
    }
}

extension RecordWrite {
    /// The value that it gives a column, if any, and the identifier of its record, as far as that is known.
    fileprivate func given(
        _ column: PostgreSQLColumn,
        isIdentity: Bool
    ) -> (value: AttributeValue, identifier: Identifier?) {
        let (identifier, values): (Identifier?, [FieldKey: AttributeValue]) =
            switch action {
            case .create(let identifier, let values): (identifier, values)
            case .save(let identifier, let values, let onConflict):
                (isIdentity && onConflict != .fail ? nil : identifier, values)
            case .update(let identifier, let changes, _): (isIdentity ? nil : identifier, changes)
            case .delete: (nil, [:])
            }
        let value = isIdentity ? identifier?.attributeValue : values[column.key]
        return (value ?? .null, identifier)
    }
}

extension AttributeValue {
    /// Of a text or of bytes, which alone may be long.
    fileprivate var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        default: 0
        }
    }

    /// The same for all values that are equal to an index.
    fileprivate var compared: AttributeValue {
        if case .double(let number) = self, let integer = Int64(exactly: number) {
            return .int(integer)
        }
        // Texts that Swift takes for the same are two.
        if case .string(let text) = self { return .data(Data(text.utf8)) }
        return rounded
    }
}
