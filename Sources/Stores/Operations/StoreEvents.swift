import Synchronization

/// What receives the beginning and the end of each operation of a store, for logs and metrics.
///
/// ```swift
/// let events = StoreEvents { event in logger.debug("\(event)") }
/// let store = MemoryModelStore(events: events)
/// ```
///
/// Identifiers, values and the texts of errors are left out unless they are asked for: they may be
/// personal data, which must not be in logs.
public struct StoreEvents: Sendable {
    private let includesContents: Bool
    private let handler: @Sendable (StoreEvent) -> Void

    /// - Parameters:
    ///   - includesContents: Whether events have identifiers and errors.
    ///   - handler: Is called at the beginning and the end of each use, on the thread where that happens,
    ///     before the promise is settled or soon after it; it must be quick.
    public init(
        includesContents: Bool = false,
        _ handler: @escaping @Sendable (StoreEvent) -> Void
    ) {
        self.includesContents = includesContents
        self.handler = handler
    }

    /// One use of a store that is under way.
    package struct Running: Sendable {
        fileprivate let events: StoreEvents
        fileprivate let number: UInt64
        fileprivate let label: StoreEvent.Label
        fileprivate let start = ContinuousClock.now

        package func end(_ result: Result<Int?, any Error>) {
            let time = start.duration(to: .now)
            switch result {
            case .success(let count):
                events.notify(number, label, .ended(after: time, failure: nil), nil, count)
            case .failure(let error):
                let name = (error as? StoreError)?.code ?? "\(type(of: error))"
                events.notify(number, label, .ended(after: time, failure: name), error, nil)
            }
        }
    }

    /// Notifies of a migration that begins.
    package func beginMigration(_ name: String) -> Running {
        begin(StoreEvent.Label(operation: .migrate, type: name))
    }

    /// Notifies of indexes of a type's table that begin to be made.
    package func beginIndexes(of type: String) -> Running {
        begin(StoreEvent.Label(operation: .index, type: type))
    }

    /// Notifies of something that begins and is of no type.
    package func begin(_ operation: StoreEvent.Operation) -> Running {
        begin(StoreEvent.Label(operation: operation))
    }

    func begin(_ label: StoreEvent.Label) -> Running {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        notify(number, label, .began, nil, nil)
        return Running(events: self, number: number, label: label)
    }

    private func notify(
        _ number: UInt64,
        _ label: StoreEvent.Label,
        _ phase: StoreEvent.Phase,
        _ error: (any Error)?,
        _ count: Int?
    ) {
        var label = label
        if !includesContents { label.identifier = nil }
        handler(
            StoreEvent(
                label: label,
                number: number,
                phase: phase,
                error: includesContents ? error : nil,
                count: count ?? label.count
            )
        )
    }
}

private let lastNumber = Atomic<UInt64>(0)
