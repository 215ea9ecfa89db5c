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
    /// Whether what is evaluated now is asked for on the way to another value.
    var isOnWay = false
    /// Whether what is evaluated now is part of an evaluation that is done again if anything it has
    /// read was torn.
    @usableFromInline var isPart = false
    /// What is to be released, one after the other; nil while nothing is.
    var remains: UnsafeMutablePointer<[Any]>?
    /// The lowest address of the stack that computations may use; 0 where nobody has asked yet.
    var stackLimit: UInt = 0
    /// The revision of the process when this thread last set a field; 0 before the first computed
    /// field was made.
    var setAt: UInt64 = 0

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
