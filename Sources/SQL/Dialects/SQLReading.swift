package import ModelKitModels
package import ModelKitStores

/// A query as SQL, which answers on its connection.
package protocol SQLQuery {
    func records(skippingDamaged report: ((StoreError) -> Void)?) throws -> [Record]
    func totals(_ aggregate: RecordAggregate) throws -> RecordTotals
}

/// What one connection reads.
package struct SQLReading<Query: SQLQuery>: RecordReading {
    private let query: (RecordQuery, ModelSchema) throws -> Query

    /// - Parameter query: Makes the SQL of a query that fits the type.
    package init(_ query: @escaping (RecordQuery, ModelSchema) throws -> Query) {
        self.query = query
    }

    package func answer(_ query: RecordQuery, of schema: ModelSchema) throws -> [Record] {
        try query.check(of: schema)
        return try self.query(query, schema).records(skippingDamaged: nil)
    }

    package func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) throws -> RecordTotals {
        try aggregate.check(of: schema)
        let query = RecordQuery(filter: aggregate.filter)
        try query.check(of: schema)
        return try self.query(query, schema).totals(aggregate)
    }
}
