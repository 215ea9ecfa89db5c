/// What the live validation of a field tells, as a sequence.
struct LiveSequence<Element: Equatable & Sendable>: AsyncSequence, Sendable {
    private weak let field: AnyField?
    private let output: @Sendable (LiveValidation) -> Field<Element>

    init(_ field: AnyField, _ output: @escaping @Sendable (LiveValidation) -> Field<Element>) {
        self.field = field
        self.output = output
    }

    func makeAsyncIterator() -> Iterator {
        guard let (live, use) = field?.listenLive() else { return Iterator(base: nil, use: nil) }
        return Iterator(base: output(live).values.makeAsyncIterator(), use: use)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: FieldValues<Element>.Iterator?
        /// Kept up as long as somebody asks.
        fileprivate let use: LiveUse?

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            guard let next = await base?.next(isolation: actor) else { return nil }
            return next ?? nil
        }
    }
}
