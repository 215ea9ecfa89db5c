import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLTable {
    /// A row that is to be changed or deleted.
    struct Target {
        let identifier: Identifier
        let revision: Int64?
    }

    /// Sets the same columns of some rows, by one statement, and gives the revisions of those that were there as it was
    /// expected.
    ///
    /// No two targets have the same identifier.
    func update(
        _ targets: [Target],
        _ changes: [[FieldKey: AttributeValue]],
        _ writer: inout PostgreSQLWriter
    ) throws -> [Identifier: Int64] {
        try revisions(of: writer.run(updating(targets, changes, &writer)))
    }

    /// What sets the same columns of some rows.
    func updating(
        _ targets: [Target],
        _ changes: [[FieldKey: AttributeValue]],
        _ writer: inout PostgreSQLWriter
    ) throws -> PostgreSQLStatement {
        for (target, changes) in zip(targets, changes) {
            try schema.check(changes: changes, of: target.identifier)
        }
        let changed = columns.indices.filter { index in
            index != identity && changes.contains { $0[columns[index].key] != nil }
        }
        var parameters = PostgreSQLParameters()
        try append(targets, to: &parameters)
        for index in changed {
            let column = columns[index]
            try column.appendArray(to: &parameters, count: changes.count) { row in
                changes[row][column.key] ?? .null
            }
        }
        let sql = updatingText(changed, writer.log, isOne: targets.count == 1)
        return writer.logging(sql, parameters, count: targets.count)
    }

    private func updatingText(_ changed: [Int], _ log: PostgreSQLLog, isOne: Bool) -> String {
        text(.update(changed, isOne: isOne)) {
            let sets = changed.enumerated().map {
                ", \(columns[$1].quotedName) = \(Self.given).c\($0)"
            }
            let arrays = changed.enumerated().map { ", $\($0 + 3)::\(columns[$1].typeName)[]" }
            let aliases = changed.indices.map { ", c\($0)" }
            return """
                WITH made AS (UPDATE \(name) SET "_revision" = nextval(\(revisions))\(sets.joined()) \
                FROM unnest(\(targetArrays)\(arrays.joined())) AS \(Self.given) (i, e\(aliases.joined())) \
                WHERE \(targetCondition) RETURNING \(returned)), logged AS (\(
                    log.insertion(.update, token: changed.count + 3, type: typeLiteral, isOne: isOne)
                )) SELECT key, revision FROM made
                """
        }
    }

    /// Deletes some rows, by one statement, and gives the revisions of those that were there as it was expected.
    func delete(
        _ targets: [Target],
        _ writer: inout PostgreSQLWriter
    ) throws -> [Identifier: Int64] {
        try revisions(of: writer.run(deleting(targets, &writer)))
    }

    /// What deletes some rows.
    func deleting(
        _ targets: [Target],
        _ writer: inout PostgreSQLWriter
    ) throws -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        try append(targets, to: &parameters)
        let isOne = targets.count == 1
        let sql = text(.delete(isOne: isOne)) {
            """
            WITH made AS (DELETE FROM \(name) USING unnest(\(targetArrays)) AS \(Self.given) (i, e) \
            WHERE \(targetCondition) RETURNING \(returned)), logged AS (\(
                writer.log.insertion(.deletion, token: 3, type: typeLiteral, isOne: isOne)
            )) SELECT key, revision FROM made
            """
        }
        return writer.logging(sql, parameters, count: targets.count)
    }

    /// What the rows of the parameters are called, and no table is.
    private static let given = "_modelkit_given"

    private var targetArrays: String { "$1::\(identifierColumn.typeName)[], $2::bigint[]" }
    private var targetCondition: String {
        "\(identifierColumn.sql) = \(identifierColumn.collated("\(Self.given).i")) AND (\(Self.given).e IS NULL OR \(name).\"_revision\" = \(Self.given).e)"
    }
    private var returned: String {
        "\(identifierColumn.sql) AS key, \(name).\"_revision\" AS revision"
    }

    private func append(_ targets: [Target], to parameters: inout PostgreSQLParameters) throws {
        try identifierColumn.appendArray(to: &parameters, count: targets.count) { row in
            let identifier = targets[row].identifier
            // One of another kind is that of no row.
            return identifierColumn.canHold(identifier) ? identifier.attributeValue : .null
        }
        parameters.append(targets.map(\.revision))
    }

    func revisions(of result: PostgreSQLResult) throws -> [Identifier: Int64] {
        var revisions: [Identifier: Int64] = [:]
        for row in 0..<result.rowCount {
            revisions[try identifier(in: result, row)] = result.bytes(row, 1).int64
        }
        return revisions
    }

    /// Why a row was not written that was to be there: it is not, or it has another revision.
    func failure(
        of target: Target,
        _ changes: [FieldKey: AttributeValue],
        _ connection: PostgreSQLConnection
    ) throws -> StoreError {
        guard let theirs = try record(target.identifier, connection) else {
            return .notFound(type: schema.name, identifier: target.identifier)
        }
        guard let expected = target.revision, expected != theirs.revision else {
            return .schema(
                "\(schema.name) \(target.identifier) was not written: a trigger or a policy of the table has ignored the write"
            )
        }
        return .conflict(
            StoreError.Conflict(
                type: schema.name,
                identifier: target.identifier,
                base: expected,
                mine: changes,
                theirs: theirs
            )
        )
    }
}
