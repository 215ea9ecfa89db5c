/// The validation states of a field as a sequence.
struct LiveSequence: AsyncSequence, Sendable {
    fileprivate weak let field: AnyField?

    func makeAsyncIterator() -> Iterator {
        let use = field?.listenLive()
        let states = FieldValues(use?.live.state, .everySet, .newest) { _, new in new }
        return Iterator(base: states.makeAsyncIterator(), use: use?.use)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: FieldValues<ValidationState>.Iterator
        /// Kept up as long as somebody asks.
        fileprivate let use: LiveUse?

        mutating func next(isolation actor: isolated (any Actor)?) async -> ValidationState? {
            await base.next(isolation: actor) ?? nil
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
        LiveSequence(field: self)
    }
}
