/// The validation states of a field as a sequence.
struct LiveSequence: AsyncSequence, Sendable {
    fileprivate weak let field: AnyField?

    func makeAsyncIterator() -> Iterator {
        let use = field?.listenLive()
        let changes = FieldChanges(use?.live.status, .everySet, .newest) {
            FieldChange(old: $0, new: $1)
        }
        return Iterator(base: changes.makeAsyncIterator(), use: use?.use)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: FieldChanges<ValidationStatus>.Iterator
        /// Kept up as long as somebody asks.
        fileprivate let use: LiveUse?

        mutating func next(isolation actor: isolated (any Actor)?) async -> ValidationState? {
            while let change = await base.next(isolation: actor) {
                if let state = change.new?.state, state != change.old?.state { return state }
            }
            return nil
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
