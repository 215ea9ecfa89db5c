public import ModelKitModels

/// The models that a query asks for, a page at a time.
///
/// ```swift
/// for try await people in store.pages(of: Person.self, orderBy: .ascending(\.name)) { print(people.count) }
/// ```
///
/// Each page is read when the one before is used up, so that no more models are in memory than those of one, and
/// is what is stored then: what others write in between may be in a later page.
public struct ModelPages<M: Model>: AsyncSequence, Sendable {
    public typealias Element = [M]

    let query: RecordQuery
    let store: any ModelStore

    public func makeAsyncIterator() -> Iterator { Iterator(query: query, store: store) }

    /// Gives the pages.
    ///
    /// ```swift
    /// var pages = store.pages(of: Person.self).makeAsyncIterator()
    /// let first = try await pages.next()
    /// ```
    public struct Iterator: AsyncIteratorProtocol {
        /// That of the next page; nil after the last.
        var query: RecordQuery?
        let store: any ModelStore

        public mutating func next() async throws -> [M]? {
            // A page may be empty before the last one, as where the rest of it is damaged.
            while var next = query {
                let page = try await store.page(M.self, matching: next).value
                next.after = page.next
                query = page.next == nil ? nil : next
                if !page.items.isEmpty { return page.items }
            }
            return nil
        }
    }
}

extension ModelStore {
    /// The models that fulfil a condition, a page at a time.
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, and then by identifier. Without any, the models come in
    ///     the order of their creation.
    ///   - limit: So many models a page at most.
    /// - Returns: A sequence that begins to read when it is asked for the first page.
    public func pages<M: Model>(
        of type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int = 100
    ) -> ModelPages<M> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return ModelPages(query: query, store: self)
    }
}
