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
        LiveValue(
            aggregate: aggregate,
            schema: M.schema,
            records: records,
            events: session.events,
            read: read
        )
    }
}
