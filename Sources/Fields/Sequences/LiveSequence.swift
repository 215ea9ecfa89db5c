/// What the live validation of a field finds, as a sequence.
struct LiveSequence<Element: Equatable & Sendable>: AsyncSequence, Sendable {
    private weak let field: AnyField?
    private let output: @Sendable (LiveValidation) -> FieldCore<Element>

    init(_ field: AnyField, _ output: @escaping @Sendable (LiveValidation) -> FieldCore<Element>) {
        self.field = field
        self.output = output
    }

    func makeAsyncIterator() -> Iterator {
        guard let (live, use) = field?.listenLive() else { return Iterator(base: nil, use: nil) }
        return Iterator(base: FieldValues(output(live), .newest).makeAsyncIterator(), use: use)
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

extension AnyField {
    /// The validation states as a sequence: the present one, then each that differs from the one
    /// before.
    ///
    /// A slow consumer gets the newest next. An iterator observes from its creation on; it ends when
    /// its task is cancelled, when it is released, and with the field, which it does not hold.
    public final var validationStates: some AsyncSequence<ValidationState, Never> & Sendable {
        LiveSequence(self) { $0.state }
    }
}
