import ModelKitEssentials

/// What the library keeps for a thread: what lies on its stack now.
///
/// All of it is behind one slot of the system, as to ask for a slot costs more than to follow a
/// pointer, and to fill one much more.
@usableFromInline
struct ThreadState {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<ThreadState>

    // Of types that are declared above, where each has a typed accessor.

    /// The deliveries that the outermost set owes; nil while none runs.
    @usableFromInline var rawLoop: UnsafeMutableRawPointer?
    /// What the innermost computation has read; nil while none runs.
    @usableFromInline var rawTracker: UnsafeMutableRawPointer?
    /// What takes the observations that are made now; it outlives the code that makes them.
    @usableFromInline var rawScope: UnsafeMutableRawPointer?
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
        let tracker: UnsafeMutableRawPointer?
    }

    /// That of this thread; nil before something was kept.
    @usableFromInline
    static var known: ThreadState.Pointer? {
        pthread_getspecific(slot)?.assumingMemoryBound(to: ThreadState.self)
    }

    /// That of this thread, which lives until the thread ends.
    @usableFromInline
    static var current: ThreadState.Pointer { known ?? make() }

    @inline(never)
    private static func make() -> ThreadState.Pointer {
        let made = ThreadState.Pointer.allocate(capacity: 1)
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
