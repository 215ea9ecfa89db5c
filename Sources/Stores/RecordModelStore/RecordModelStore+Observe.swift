public import ModelKitModels

extension RecordModelStore {
    public func observe<M: Model>(_ type: M.Type, matching query: RecordQuery) -> LiveQuery<M> {
        LiveQuery(query: query, records: records, session: session)
    }
}

extension ModelStore {
    /// The models that fulfil a condition, now and after every commit that changes them.
    ///
    /// ```swift
    /// for try await result in store.observe(Person.self, where: \.age >= 18) {
    ///     print(result.models.map { $0.name.value ?? "nobody" })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, and then by identifier. Without any, the models come in
    ///     the order of their creation; for those of several classes see `ModelObject.subclasses`.
    ///   - limit: So many at most.
    /// - Returns: The query, which does nothing until it is iterated or observed.
    public func observe<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil
    ) -> LiveQuery<M> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return observe(type, matching: query)
    }

    /// Some of the models that fulfil a condition, by their places among all, now and after every commit that changes
    /// them.
    ///
    /// ```swift
    /// let window = store.observe(Person.self, orderBy: .ascending(\.name), window: 0..<50)
    /// let observation = window.onMain.observe { result in
    ///     if let result = try? result.get() { print(result.range, "of", result.total) }
    /// }
    /// window.show(50..<100)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, as for a list.
    ///   - window: The places that are shown, from 0, as far as there are models there.
    /// - Returns: The window, which does nothing until it is iterated or observed.
    public func observe<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        window: Range<Int>
    ) -> LiveWindow<M> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: nil)
        return observe(type, matching: query, window: window)
    }

    /// Some of the models that a query asks for, by their places among all, which has no limit and no cursor.
    public func observe<M: Model>(
        _ type: M.Type,
        matching query: RecordQuery,
        window: Range<Int>
    ) -> LiveWindow<M> {
        LiveWindow(observe(type, matching: query), window)
    }
}
