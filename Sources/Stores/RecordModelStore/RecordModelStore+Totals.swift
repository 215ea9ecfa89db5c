public import ModelKitModels
public import ModelKitPromises

extension RecordModelStore {
    public func totals<M: Model, Value>(
        _ type: M.Type,
        of aggregate: RecordAggregate,
        reading read: @escaping @Sendable (RecordTotals) throws -> Value
    ) -> Promise<Value> {
        let label = StoreEvent.Label(operation: .aggregate, type: M.schema.name)
        return self.read(label, count: { _ in nil }) { records in
            records.totals(aggregate, below: M.schema)
        } make: { totals, _, _ in
            try read(totals)
        }
    }

    public func observe<M: Model, Value>(
        _ type: M.Type,
        totals aggregate: RecordAggregate,
        reading read: @escaping @Sendable (RecordTotals) throws -> Value
    ) -> LiveValue<Value> {
        let partners = Set((aggregate.filter?.partners(of: M.schema) ?? []).map(\.name))
        return LiveValue { [records] handler in
            records.observeChanges { changes in
                let found = changes.types
                // When the store is closed, the value is notified by its next answer.
                if found.isEmpty || !found.isDisjoint(with: partners)
                    // A class may be used for the first time.
                    || ClassHierarchy(of: type).schemas.contains(where: { found.contains($0.name) })
                {
                    handler()
                }
            }
        } fetch: { [records] in
            records.totals(aggregate, below: M.schema).map(read)
        }
    }
}
