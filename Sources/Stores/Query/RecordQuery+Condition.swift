import ModelKitModels

extension RecordQuery {
    /// The models that fulfil a condition, sorted by some fields.
    init<M: Model>(
        where condition: Condition<M>?,
        orderBy orderings: [Ordering<M>],
        limit: Int?,
        after cursor: PageCursor? = nil
    ) {
        self.init(
            filter: condition?.filter,
            order: orderings.map { $0.order },
            limit: limit,
            after: cursor
        )
    }
}
