public import ModelKitStores

/// A store that fails, hesitates and loses answers by a script, to test what an app makes of that.
///
/// ```swift
/// let store = FailingStore(MemoryModelStore())
/// store.script = [.fail(.unavailable("offline", .notApplied), on: .write)]
/// // The next write fails; those after it are made.
/// ```
///
/// What the script does not name is done by the store that it is made of, of which it is another session:
/// its models are other instances.
public final class FailingStore: RecordModelStore {
    public var records: any RecordStore { failing }
    public let session: StoreSession
    public let deadline: Duration?

    private let failing: FailingRecords

    /// - Parameters:
    ///   - store: The store that has the records.
    ///   - clock: What is slept by.
    ///   - events: What receives the events of this store.
    ///   - deadline: After how long its uses fail with `.timedOut`.
    public init(
        _ store: some RecordModelStore,
        clock: any Clock<Duration> = ContinuousClock(),
        events: StoreEvents? = nil,
        deadline: Duration? = nil
    ) {
        failing = FailingRecords(store.records, clock)
        session = StoreSession(events: events)
        self.deadline = deadline
    }

    /// What is still to happen, the next one first.
    ///
    /// A use of the store takes the first step that is for it, and does nothing with those that are for
    /// others.
    public var script: [Step] {
        get { failing.script }
        set { failing.script = newValue }
    }

    /// How often its records were read, written, or used by a transaction.
    public func count(of use: Use) -> Int { failing.count(of: use) }

    /// What a store is used for.
    ///
    /// ```swift
    /// let writes = store.count(of: .write)
    /// ```
    public enum Use: Sendable, Hashable {
        case read, write, transaction
    }

    /// Something that happens to one use of the store.
    ///
    /// ```swift
    /// store.script = [.delay(.seconds(1), on: .read, of: "Person"), .loseAnswer(on: .write)]
    /// ```
    public struct Step: Sendable {
        enum Effect: Sendable {
            case fail(StoreError)
            case loseAnswer(StoreError)
            case delay(Duration)
            case hold(Promise<Void>)
            case pass
        }

        let effect: Effect
        let use: Use?
        let type: String?

        func fits(_ use: Use, _ types: Set<String>) -> Bool {
            (self.use ?? use) == use && type.map(types.contains) ?? true
        }

        /// It fails, and nothing is done.
        ///
        /// - Parameters:
        ///   - error: The error.
        ///   - use: What kind of use it is for; nil for any.
        ///   - type: The name of the models' type; nil for any, and transactions have none.
        /// - Returns: The step.
        public static func fail(
            _ error: StoreError,
            on use: Use? = nil,
            of type: String? = nil
        ) -> Step {
            Step(effect: .fail(error), use: use, type: type)
        }

        /// It is done, and fails all the same, as when the answer of a server is lost.
        public static func loseAnswer(
            _ error: StoreError = .unavailable("the answer was lost", .unknown),
            on use: Use? = nil,
            of type: String? = nil
        ) -> Step {
            Step(effect: .loseAnswer(error), use: use, type: type)
        }

        /// It is done later.
        public static func delay(
            _ duration: Duration,
            on use: Use? = nil,
            of type: String? = nil
        ) -> Step {
            Step(effect: .delay(duration), use: use, type: type)
        }

        /// It is done once a promise is fulfilled; if the promise fails, so does it, with that error.
        public static func hold(
            until promise: Promise<Void>,
            on use: Use? = nil,
            of type: String? = nil
        ) -> Step {
            Step(effect: .hold(promise), use: use, type: type)
        }

        /// It is done as if there were no script, so that a later step is for a later use.
        public static func pass(on use: Use? = nil, of type: String? = nil) -> Step {
            Step(effect: .pass, use: use, type: type)
        }
    }
}
