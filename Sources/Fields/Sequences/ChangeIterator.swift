/// Takes the changes of a field one after the other: what the iterators of both sequences are made
/// of.
///
/// The observation ends with it.
struct ChangeIterator<Value: Equatable & Sendable> {
    private let inbox: ChangeInbox<Value>
    private let takesSets: Bool
    private var bell: AsyncStream<Void>.Iterator
    private var isOver = false

    init(_ field: Field<Value>?, _ trigger: ObservationTrigger, _ buffering: FieldBuffering) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        inbox = ChangeInbox(buffering, continuation)
        bell = stream.makeAsyncIterator()
        guard let field else {
            continuation.finish()
            takesSets = false
            return
        }
        let observer = Observer<Value>(trigger, .receiver(inbox))
        let observation = field.register(observer)
        takesSets = observer.takesSets
        continuation.onTermination = { _ in observation.cancel() }
    }

    /// The next change; nil when the task is cancelled, and after the last when the observation is.
    mutating func next(
        isolation: isolated (any Actor)?
    ) async -> (old: Value?, new: Value?)? {
        while true {
            if Task.isCancelled {
                inbox.close()
                return nil
            }
            if let change = inbox.next() {
                if change.isTold(takingSets: takesSets) { return (change.old, change.new) }
            } else if isOver {
                return nil
            } else {
                isOver = await bell.next(isolation: isolation) == nil
            }
        }
    }
}
