import ModelKitFields
public import ModelKitModels

/// The part of a long list that is on the screen, delivered now, and again after every commit that changes it.
///
/// ```swift
/// let window = store.observe(Person.self, orderBy: .ascending(\.name), window: 0..<50)
/// for try await result in window {
///     print(result.range, "of", result.total, result.models.map { $0.name.value ?? "nobody" })
/// }
/// ```
///
/// A window shows what is at its places: where a model comes before them, each is moved by one. A result is delivered
/// where the models, an updated one of them, their range or the number of all models is another one, and has the edits
/// that lead from the models before. Places after the last model show nothing until there are models. All else is as
/// for a `LiveQuery`.
///
/// Held are the models that are shown, and on each side half as many more, but at least 16 and at most 512, or 1 024
/// far down the list; after some commits up to twice as many. A store that keeps its records here judges each record
/// that was written by its values before and after that, so that a commit costs the same wherever it is, and asks the
/// store for nothing. Where the models that are held do not suffice any more, the store is asked for a part of the
/// list, which its events call `.page`. SQLite goes there along an index, if the order has one and it can answer the
/// condition; else, as in memory and in an archive, all models before the window are gone through.
///
/// The number of models is asked for at the beginning, with a page that is not as long as it has to be by that number,
/// and with each `.refetch`. That comes after commits of more than 10 000 records and those of others, where a model
/// that is held cannot be read, and, in PostgreSQL and where the condition looks through relations, after each commit
/// that may matter.
///
/// Of a class with subclasses, over REST, and in a store of your own, the whole beginning of the list is read up to the
/// end of the window; the latter two are asked for the number each time, for which a store of your own without `totals`
/// reads its whole list. By `skippingDamaged` places and number are those of the models that can be read, for which the
/// whole list is read, each time, too; over REST its beginning alone, so that damaged ones after it are counted. Where
/// a server cannot count, a window is an `.unsupported` error.
public struct LiveWindow<M: Model>: AsyncSequence, Sendable {
    public typealias Element = LiveResult<M>

    package let live: LiveQuery<M>
    private let frame: WindowFrame

    init(_ query: LiveQuery<M>, _ window: Range<Int>) {
        frame = WindowFrame(window)
        var live = query
        live.frame = frame
        self.live = live
    }

    public func makeAsyncIterator() -> LiveQuery<M>.Iterator { live.makeAsyncIterator() }

    /// The places that are to be shown, from 0; there may be fewer models, as the `range` of a result says.
    public var places: Range<Int> { frame.window }

    /// Shows other places of the list, in every iteration and observation of this window, by the next result.
    ///
    /// Those before 0 are left out.
    ///
    /// It may be called on any thread, and does not wait; of several calls the last one counts. Models that are shown
    /// before and after it stay in the list.
    ///
    /// ```swift
    /// window.show(500_000..<500_050)
    /// ```
    public func show(_ places: Range<Int>) { frame.show(places) }

    /// Calls `body` with each result, as `LiveQuery.observe`.
    ///
    /// ```swift
    /// let observation = window.observe { result in
    ///     if let result = try? result.get() { print(result.range, "of", result.total) }
    /// }
    /// ```
    public func observe(_ body: @escaping LiveQuery<M>.Handler) -> LiveObservation {
        live.observe(body)
    }

    /// Calls `body` with the edits of each result, as `LiveQuery.observeEdits`; with none where only the range or the
    /// number of models is another one.
    public func observeEdits(_ body: @escaping LiveQuery<M>.EditsHandler) -> LiveObservation {
        live.observeEdits(body)
    }

    /// The same window, whose results are delivered on the main actor.
    public var onMain: LiveQuery<M>.OnMain { live.onMain }
}

/// The places of a list that are shown, which somebody moves.
package final class WindowFrame: Sendable {
    private struct State {
        var window: Range<Int>
        var last: UInt64 = 0
        var handlers: [UInt64: @Sendable () -> Void] = [:]
    }

    private let state: Guarded<State>

    init(_ window: Range<Int>) { state = Guarded(State(window: Self.whole(window))) }

    package var window: Range<Int> { state.withLock { $0.window } }

    /// The places that an answer may have; no list comes near to the greatest number.
    private static func whole(_ range: Range<Int>) -> Range<Int> {
        range.clamped(to: 0..<(.max / 2))
    }

    package func show(_ range: Range<Int>) {
        let handlers = state.withLock { state in
            state.window = Self.whole(range)
            return Array(state.handlers.values)
        }
        for handler in handlers { handler() }
    }

    /// Adds what is called after each move.
    func add(_ handler: @escaping @Sendable () -> Void) -> RecordObservation {
        let number = state.withLock { state in
            state.last += 1
            state.handlers[state.last] = handler
            return state.last
        }
        return RecordObservation { [weak self] in
            _ = self?.state.withLock { $0.handlers.removeValue(forKey: number) }
        }
    }
}

extension LiveQuery {
    /// A part of an answer, with the number of records that come before it and after it.
    struct Part: Sendable {
        var found: [FoundRecord]
        var before = 0
        let after: Int
        /// Whether it begins at the first record, as it is not known yet how many are left out.
        var isWhole = false
    }

    /// Why there is no window of the query; nil if there is.
    var windowRefusal: StoreError? {
        if frame == nil || query.limit == nil && query.after == nil { return nil }
        return .unsupported("a window of a list with a limit or a cursor")
    }

    /// Asks for the part of the answer that a window shows, and more records on both sides of it.
    ///
    /// - Parameters:
    ///   - window: The window.
    ///   - spare: How many more, if there are.
    ///   - total: How many the answer had before what the answer judged since; nil where that is not known.
    ///   - answer: What judges commits.
    /// - Returns: The part.
    /// - Throws: What the store fails with.
    func part(
        _ window: Range<Int>,
        _ spare: Int,
        of total: Int?,
        _ answer: LiveAnswer<M>
    ) async throws -> Part {
        let count = RecordAggregate(.count, filter: query.filter)
        guard let judged = records as? any JudgedRecords else {
            let undamaged = records as? UndamagedRecords
            if let undamaged, undamaged.base.foreign == nil {
                // To count them, they would all be read.
                let found = try await records.find(query, below: M.schema).value
                return Part(found: found, after: 0, isWhole: true)
            }
            // Of one moment only if no commit comes between; after one it is asked for again in any case.
            let all = try await Int(
                attributeValue: records.totals(count, below: M.schema).value.value()
            )
            var query = query
            let places = window.places(and: spare, of: all)
            query.limit = places.upperBound
            let found = try await records.find(query, below: M.schema).value
            if undamaged != nil {
                return Part(found: found, after: all - places.upperBound, isWhole: true)
            }
            let before = Swift.min(places.lowerBound, found.count)
            return Part(
                found: Array(found.dropFirst(before)),
                before: before,
                after: found.count < places.upperBound ? 0 : all - places.upperBound
            )
        }
        let hierarchy = ClassHierarchy(of: M.self)
        let types = hierarchy.schemas + (query.filter?.partners(of: M.schema) ?? [])
        return try await judged.read(types) {
            answer.begin(hierarchy.schemas)
        } _: { [query] growth, reading in
            func part(of known: Int?) throws -> Part? {
                let all =
                    try known
                    ?? hierarchy.schemas.reduce(0) { sum, schema in
                        try sum + Int(attributeValue: reading.totals(count, of: schema).value())
                    }
                let places = window.places(and: spare, of: all)
                var part = query
                if hierarchy.isOne {
                    (part.offset, part.limit) = (places.lowerBound, places.count)
                } else {
                    part.limit = places.upperBound
                }
                let lists = try hierarchy.schemas.map { try reading.answer(part, of: $0) }
                var found = hierarchy.merge(lists, part)
                if !hierarchy.isOne { found.removeFirst(Swift.min(found.count, places.lowerBound)) }
                // So that what somebody has changed behind the store's back does not stay wrong.
                if known != nil, found.count != places.count { return nil }
                let before = places.lowerBound
                return Part(found: found, before: before, after: all - before - found.count)
            }
            let known = total.flatMap { total in growth.map { total + $0 } }
            if let known, known >= 0, let part = try part(of: known) { return part }
            return try part(of: nil) ?? Part(found: [], after: 0)
        }.value
    }
}

extension Range<Int> {
    /// What a window shows of so many rows, and some more on both sides.
    func places(and spare: Int, of total: Int) -> Range<Int> {
        let all = 0..<Swift.max(0, total)
        let shown = clamped(to: all)
        return (shown.lowerBound - spare..<shown.upperBound + spare).clamped(to: all)
    }
}
