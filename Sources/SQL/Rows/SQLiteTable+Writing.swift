import ModelKitModels
import ModelKitStores

extension SQLiteTable {
    /// Inserts a row with the statement of `insert`.
    func create(
        _ identifier: Identifier,
        _ values: [FieldKey: AttributeValue],
        _ insert: SQLiteStatement,
        _ connection: SQLiteConnection
    ) throws -> RecordReceipt {
        var count = 0
        try bind(identifier, to: insert) { index in
            let value = values[columns[index].key]
            if value != nil { count += 1 }
            return value
        }
        if count < values.count { try schema.check(keys: values.keys) }
        return try create(identifier, [:], insert, connection) { values[columns[$0].key] }
    }

    /// The same of values in the order of the columns, with texts in place of some.
    func create(
        _ identifier: Identifier,
        _ row: ContiguousArray<AttributeValue?>,
        _ texts: [Int: String],
        _ insert: SQLiteStatement,
        _ connection: SQLiteConnection
    ) throws -> RecordReceipt {
        try bind(identifier, to: insert) { row[$0] }
        return try create(identifier, texts, insert, connection) { row[$0] }
    }

    /// Binds what is given for each column.
    @inline(__always)
    private func bind(
        _ identifier: Identifier,
        to insert: SQLiteStatement,
        _ given: (Int) -> AttributeValue?
    ) throws {
        for index in columns.indices {
            let column = columns[index]
            let given = given(index)
            guard let value = index == identity ? identifier.attributeValue : given, !value.isNull
            else { continue }
            if !value.isStorable(as: column.kind) { try schema.check(value, of: column.entry) }
            try insert.bind(value, as: column.kind, at: index + 1)
        }
    }

    private func create(
        _ identifier: Identifier,
        _ texts: [Int: String],
        _ insert: SQLiteStatement,
        _ connection: SQLiteConnection,
        _ given: (Int) -> AttributeValue?
    ) throws -> RecordReceipt {
        for (index, text) in texts { try insert.bind(text, at: index + 1) }
        let revision = try lastRevision(connection)
        guard revision < .max else { throw schema.revisionsUsedUp }
        try insert.bind(revision + 1, at: columns.count + 1)
        do {
            try insert.execute()
        } catch let error as SQLiteError where error.kind == .constraint(.unique) {
            throw try conflict(of: identifier, isNew: true, connection, given) ?? error
        }
        if connection.changes == 0 {
            if let error = try conflict(of: identifier, isNew: true, connection, given) {
                throw error
            }
            // Ignored because of an index that another program has made, perhaps, which says so then.
            guard insert.sql == insertNew else { throw isIgnored(identifier, "added") }
            return try connection.withStatement(self.insert) { insert in
                try bind(identifier, to: insert, given)
                return try create(identifier, texts, insert, connection, given)
            }
        }
        return RecordReceipt(identifier: identifier, revision: revision + 1, isNew: true)
    }

    func update(
        _ identifier: Identifier,
        _ changes: [FieldKey: AttributeValue],
        expecting expected: Int64?,
        _ connection: SQLiteConnection
    ) throws -> RecordReceipt {
        let revision = try write(identifier, expected, changes, "updated", connection) { revision in
            try schema.check(changes: changes, of: identifier)
            guard revision < .max else { throw schema.revisionsUsedUp }
            try update(identifier, changes, revision, connection)
        }
        return RecordReceipt(identifier: identifier, revision: revision + 1)
    }

    /// Writes to the row that has a revision: the expected one, or else the one that it has.
    ///
    /// Where one is expected, the row is only looked for if the body has failed or changed nothing.
    ///
    /// - Returns: The revision.
    private func write(
        _ identifier: Identifier,
        _ expected: Int64?,
        _ changes: [FieldKey: AttributeValue],
        _ done: String,
        _ connection: SQLiteConnection,
        _ body: (Int64) throws -> Void
    ) throws -> Int64 {
        let known = identifierColumn.canHold(identifier) ? expected : nil
        let revision = try known ?? find(identifier, expected, changes, connection)
        var failure: StoreError?
        do {
            try body(revision)
        } catch let error as StoreError {
            failure = error
        }
        if failure == nil, connection.changes > 0 { return revision }
        // That there is no such row says more than what is wrong with what was to be written to it.
        if known != nil { _ = try find(identifier, expected, changes, connection) }
        throw failure ?? isIgnored(identifier, done)
    }

    private func update(
        _ identifier: Identifier,
        _ changes: [FieldKey: AttributeValue],
        _ revision: Int64,
        _ connection: SQLiteConnection
    ) throws {
        var changed: [(column: Int, value: AttributeValue)] = []
        for (index, column) in columns.enumerated() where index != identity {
            if let value = changes[column.key] { changed.append((index, value)) }
        }
        try connection.withStatement(updateText(changed)) { update in
            try update.bind(identifier.attributeValue, at: 1)
            try update.bind(revision, at: 2)
            for (place, (index, value)) in changed.enumerated() {
                try update.bind(value, as: columns[index].kind, at: place + 3)
            }
            do {
                try update.execute()
            } catch let error as SQLiteError where error.kind == .constraint(.unique) {
                throw try conflict(of: identifier, isNew: false, connection) { index in
                    changes[columns[index].key]
                } ?? error
            }
        }
    }

    /// The statement that sets some columns, of which a hundred are kept.
    private func updateText(_ changed: [(column: Int, value: AttributeValue)]) -> String {
        let isKept = changed.allSatisfy { $0.column < UInt64.bitWidth }
        let places = changed.reduce(0 as UInt64) { $0 | 1 << UInt64($1.column) }
        if isKept, let known = updates.withLock({ $0[places] }) { return known }
        var sql = "UPDATE \(name) SET \"_revision\" = \"_revision\" + 1"
        for (place, (column, _)) in changed.enumerated() {
            sql += ", \(columns[column].quotedName) = ?\(place + 3)"
        }
        sql += " WHERE \(identifierColumn.sql) = ?1 AND \(name).\"_revision\" = ?2"
        if isKept { updates.withLock { if $0.count < 100 { $0[places] = sql } } }
        return sql
    }

    func delete(
        _ identifier: Identifier,
        expecting expected: Int64?,
        _ connection: SQLiteConnection
    ) throws -> RecordReceipt {
        let revision = try write(identifier, expected, [:], "deleted", connection) { revision in
            try connection.withStatement(delete) { delete in
                try delete.bind(identifier.attributeValue, at: 1)
                try delete.bind(revision, at: 2)
                try delete.execute()
            }
        }
        if try revision > lastRevision(connection) {
            try keepLastRevision(revision, connection)
        }
        return RecordReceipt(identifier: identifier, revision: revision)
    }

    /// A statement that changes no row is how SQLite reports a trigger with `RAISE(IGNORE)`.
    private func isIgnored(_ identifier: Identifier, _ done: String) -> StoreError {
        .schema(
            "\(schema.name) \(identifier) was not \(done): a trigger of the table has ignored the write"
        )
    }

    /// The revision of the row of an identifier, which must be the expected one.
    private func find(
        _ identifier: Identifier,
        _ expected: Int64?,
        _ changes: [FieldKey: AttributeValue],
        _ connection: SQLiteConnection
    ) throws -> Int64 {
        let revision = try withRow(find, identifier, connection) { $0.int64(at: 0) }
        guard let revision else {
            throw StoreError.notFound(type: schema.name, identifier: identifier)
        }
        guard let expected, expected != revision,
            let theirs = try record(identifier, connection)
        else { return revision }
        throw StoreError.conflict(
            StoreError.Conflict(
                type: schema.name,
                identifier: identifier,
                base: expected,
                mine: changes,
                theirs: theirs
            )
        )
    }

    /// The last number of the sequence that identifiers are made of.
    func lastNumber(_ connection: SQLiteConnection) throws -> Int64 {
        try connection.withStatement(lastNumber) { last in
            try last.bind(schema.name, at: 1)
            if identifierColumn.kind == .int { try last.bind(schema.greatestFollowed, at: 2) }
            try last.bind(schema.greatestKept, at: 3)
            return try last.step() ? last.int64(at: 0) : 0
        }
    }

    /// What is wrong with values that a unique index has refused: another row has the identifier, or the
    /// value of a unique field; nil if that is gone.
    func conflict(
        of identifier: Identifier,
        isNew: Bool,
        _ connection: SQLiteConnection,
        _ value: (Int) -> AttributeValue?
    ) throws -> StoreError? {
        if isNew, try contains(identifier, connection) {
            return .alreadyExists(type: schema.name, identifier: identifier)
        }
        for (index, column) in columns.enumerated() where column.entry.isUnique && index != identity
        {
            guard let value = value(index) else { continue }
            let query = RecordQuery(filter: .compare(column.key, .equal, value), limit: 2)
            let holder = try SQLiteQuery(query, of: schema, connection) { _ in self }.records()
                .first { $0.identifier != identifier }
            if let holder {
                return .alreadyExists(
                    type: schema.name,
                    identifier: holder.identifier,
                    field: column.key
                )
            }
        }
        return nil
    }
}
