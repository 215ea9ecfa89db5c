#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The deliveries that one thread owes: there is one loop for its outermost set, on that set's
/// stack.
@usableFromInline
struct DeliveryLoop {
    /// A field with waiting changes, and how to deliver them: a function that the compiler has
    /// specialised for the value type where the field was set.
    @usableFromInline
    struct Entry {
        @usableFromInline let field: AnyField
        @usableFromInline let drain: Drain

        @inlinable
        init(field: AnyField, drain: @escaping Drain) {
            self.field = field
            self.drain = drain
        }
    }

    @usableFromInline
    typealias Drain = (AnyField, UnsafeMutablePointer<DeliveryLoop>) -> Void

    @usableFromInline var ready: [Entry] = []
    /// The field whose observers run, and the change they are told.
    @usableFromInline var delivering: ObjectIdentifier?
    @usableFromInline var cause = Cause()

    @inlinable
    init() {}

    /// The loop of this thread, while its outermost set runs.
    @inlinable @inline(__always)
    static var current: UnsafeMutablePointer<DeliveryLoop>? { currentLoop() }

    /// Runs a closure with a new loop of this thread, then every delivery it left.
    ///
    /// There must be no current loop.
    @inlinable
    static func run(_ body: (UnsafeMutablePointer<DeliveryLoop>) -> Void) {
        var loop = DeliveryLoop()
        withUnsafeMutablePointer(to: &loop) { pointer in
            setCurrentLoop(pointer)
            body(pointer)
            if !pointer.pointee.ready.isEmpty { drainReady(pointer) }
            setCurrentLoop(nil)
        }
    }

    @usableFromInline @inline(never)
    static func drainReady(_ loop: UnsafeMutablePointer<DeliveryLoop>) {
        while !loop.pointee.ready.isEmpty {
            // Taken out whole: where a field dies with its entry, code of the user may add others.
            let entries = loop.pointee.ready
            loop.pointee.ready = []
            for entry in entries { entry.drain(entry.field, loop) }
        }
    }
}

// The slot of the thread that points to its loop.
private let slot: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
}()

@usableFromInline
func currentLoop() -> UnsafeMutablePointer<DeliveryLoop>? {
    pthread_getspecific(slot)?.assumingMemoryBound(to: DeliveryLoop.self)
}

@usableFromInline
func setCurrentLoop(_ loop: UnsafeMutablePointer<DeliveryLoop>?) {
    pthread_setspecific(slot, loop)
}
