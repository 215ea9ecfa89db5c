#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the library keeps for a thread: what lies on its stack now.
///
/// All of it is behind one slot of the system, as to ask for a slot costs more than to follow a
/// pointer, and to fill one much more.
@usableFromInline
struct ThreadState {
    /// The deliveries that the outermost set owes; nil while none runs.
    @usableFromInline var loop: UnsafeMutablePointer<DeliveryLoop>?
    /// What the innermost computation has read; nil while none runs.
    @usableFromInline var tracker: UnsafeMutablePointer<Tracker>?
    /// What takes the observations that are made now; it outlives the code that makes them.
    @usableFromInline var scope: Unmanaged<ObservationScope>?
    /// Whether what is evaluated now is asked for on the way to another value.
    @usableFromInline var isOnWay = false
    /// The evaluation that looks at what others that it is made of have read, and is done again if any
    /// of that was torn; nil while there is none.
    @usableFromInline var evaluating: Evaluating?
    /// How often evaluations may be done again until the computation that this thread runs is through:
    /// were each that reads what nobody looks at done so often, the numbers would multiply.
    var looks = 0
    /// What is to be released, one after the other; nil while nothing is.
    var remains: UnsafeMutablePointer<[Any]>?
    /// The revision of the process when this thread last set a field; 0 before the first computed
    /// field was made.
    @usableFromInline var setAt: UInt64 = 0

    /// An evaluation that looks at all it is made of.
    @usableFromInline
    struct Evaluating {
        /// The tracker under which it began, and under which it looks.
        let tracker: UnsafeMutablePointer<Tracker>?
    }

    /// Whether what is evaluated now is looked at by an evaluation that it is part of.
    ///
    /// What a computation has others do is not, as it knows nothing of what they read; nor is what it
    /// reads after it has set something.
    var isPart: Bool {
        guard let evaluating else { return false }
        return tracker == evaluating.tracker
            || tracker.map { $0.pointee.isLooking(after: setAt) } ?? false
    }

    /// Notes that what is evaluated from here on is part of an evaluation.
    ///
    /// - Returns: Whether this one is part of another itself.
    @usableFromInline
    mutating func beginEvaluation() -> Bool {
        if isPart { return true }
        if tracker == nil { looks = 8 }
        evaluating = Evaluating(tracker: tracker)
        return false
    }

    /// Whether a value that was made as part of an evaluation is looked at by whoever reads it.
    mutating func mayLookAgain() -> Bool { !isPart && (tracker == nil || looksAgain()) }

    /// Whether an evaluation that others have superseded is done again within another.
    @usableFromInline
    mutating func looksAgain() -> Bool {
        if looks == 0 { return false }
        looks -= 1
        return true
    }

    /// That of this thread; nil before something was kept.
    @usableFromInline
    static var known: UnsafeMutablePointer<ThreadState>? {
        pthread_getspecific(slot)?.assumingMemoryBound(to: ThreadState.self)
    }

    /// That of this thread, which lives until the thread ends.
    @usableFromInline
    static var current: UnsafeMutablePointer<ThreadState> { known ?? make() }

    @inline(never)
    private static func make() -> UnsafeMutablePointer<ThreadState> {
        let made = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
        made.initialize(to: ThreadState())
        pthread_setspecific(slot, made)
        return made
    }

    private static let slot: pthread_key_t = {
        var key = pthread_key_t()
        // The system calls it at the end of a thread, and not with nil.
        pthread_key_create(&key) { state in
            let state: UnsafeMutableRawPointer? = state
            state?.assumingMemoryBound(to: ThreadState.self).deallocate()
        }
        return key
    }()
}
