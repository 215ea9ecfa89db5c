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
    ///   - make: Makes them; where it throws, it has taken back what it has done.
    /// - Returns: What it gives.
    /// - Throws: `.alreadyExists` where a unique index has refused one of them, and what else the closure throws.
    func making<Value>(_ writes: [RecordWrite], _ make: () throws -> Value) throws -> Value {
        var attempt = 1
        while true {
            do {
                return try make()
            } catch let error as PostgreSQLError where error.sqlState == "2200H" {
                // The end of a sequence.
                throw writes.first { $0.schema.identifier?.kind.makesNumbers ?? false }?
                    .schema.numbersAreUsedUp ?? error
            } catch let error as PostgreSQLError where error.kind == .uniqueViolation {
                if let cause = try cause(of: error, writes) { throw cause }
                // The other record is gone, or it was a number.
                guard attempt < Self.mostAttempts else { throw error }
                attempt += 1
                for schema in Set(writes.map(\.schema)) {
                    try table(schema).skipTakenNumbers(connection)
                }
            }
        }
    }

    /// Which of some writes a unique index has refused, and for which record; nil where that is not known any more.
    private func cause(
        of error: PostgreSQLError,
        _ writes: [RecordWrite]
    ) throws -> StoreError? {
        for schema in Set(writes.map(\.schema)) where schema.name == error.table {
            let causes = try table(schema)
                .causes(of: error, writes.filter { $0.schema === schema }, connection)
            return causes.min { $0.key < $1.key }?.value
        }
        return nil
    }
}

extension PostgreSQLTable {
    /// Why a unique index refuses some writes, by their places: another row has the value, or an earlier one of them.
    func causes(
        of error: PostgreSQLError,
        _ writes: [RecordWrite],
        _ connection: PostgreSQLConnection
    ) throws -> [Int: StoreError] {
        guard let column = column(ofUniqueIndex: error.constraint) else { return [:] }
        let isIdentity = column === identifierColumn
        let given = writes.map { $0.given(column, isIdentity: isIdentity) }
        let values = Set(given.map(\.value)).subtracting([.null])
        if values.isEmpty { return [:] }
        var holders: [AttributeValue: Identifier] = [:]
        let query = RecordQuery(filter: .isIn(column.key, Array(values)))
        for record in try PostgreSQLQuery(query, of: schema, connection, { _ in self }).records() {
            holders[record[column.key]?.compared ?? .null] = record.identifier
        }
        var causes: [Int: StoreError] = [:]
        for (place, (value, identifier)) in given.enumerated() where value != .null {
            if let holder = holders[value], isIdentity || holder != identifier {
                causes[place] = .alreadyExists(
                    type: schema.name,
                    identifier: holder,
                    field: isIdentity ? nil : column.key
                )
            } else if let identifier {
                holders[value] = identifier
            }
        }
        return causes
    }

    /// Moves the sequence of numbers past those of the rows, but for great ones that somebody has given.
    func skipTakenNumbers(_ connection: PostgreSQLConnection) throws {
        guard makesNumbers else { return }
        try connection.execute(
            """
            SELECT setval(\(numbers), greatest) FROM (SELECT max(\(identifierColumn.quotedName)) AS \
            greatest FROM \(name) WHERE \(identifierColumn.quotedName) <= \(schema.greatestFollowed)) \
            AS rows WHERE greatest > (SELECT last_value FROM \(sequences.numbers))
            """
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
            case .save(let identifier, let values, _): (identifier, values)
            case .update(let identifier, let changes, _): (identifier, changes)
            case .delete(let identifier, _): (identifier, [:])
            }
        let value = isIdentity ? identifier?.attributeValue : values[column.key]
        return (value?.compared ?? .null, identifier)
    }
}

extension AttributeValue {
    /// The same for all values that are equal to an index.
    fileprivate var compared: AttributeValue {
        if case .double(let number) = self, let integer = Int64(exactly: number) {
            return .int(integer)
        }
        return rounded
    }
}
