import ModelKitEssentials

/// Room on the stack for what is nested so deeply that the stack ends.
///
/// Near its end it goes on on that of another thread, for which this one waits; so the depth is bounded by
/// memory. Nothing of the task or of the thread is seen there.
package enum StackRoom {
    /// So many nested calls fit on any stack, though each may ask its sources by many calls.
    private static var harmless: Int { 4 }
    /// What is left of a stack for the user's closure and what it calls.
    private static let reserve: UInt = 128 * 1024
    /// More would hold more than the 65 536 nested calls that the thread sanitizer can follow.
    private static let size = 8 * 1024 * 1024

    /// Runs a closure: here, or where there is more room.
    ///
    /// - Parameters:
    ///   - depth: How many are nested already; without it the stack is looked at.
    ///   - body: The closure.
    package static func run(atDepth depth: Int = .max, _ body: () -> Void) {
        if isEnough(atDepth: depth) { return body() }
        runElsewhere(body)
    }

    /// Runs a closure that gives something, or throws.
    package static func result<Result>(
        atDepth depth: Int,
        _ body: () throws -> Result
    ) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        run(atDepth: depth) { result = Swift.Result { try body() } }
        // It is there: the closure was run.
        guard let result else { return try body() }
        return try result.get()
    }

    /// Whether there is room for one more call where so many are nested already.
    package static func isEnough(atDepth depth: Int) -> Bool {
        if depth <= harmless { return true }
        return stackPointer(min(depth, 64)) > limit
    }

    /// Where the stack ends now.
    ///
    /// Of a size that is not known before, as the address sanitizer has a place of its own for all
    /// that is of a known size.
    @inline(never)
    private static func stackPointer(_ size: Int) -> UInt {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) {
            UInt(bitPattern: $0.baseAddress)
        }
    }

    /// Runs a closure on the stack of another thread, or here if there is none.
    package static func runElsewhere(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            let job = Job(body)
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            pthread_attr_setstacksize(&attributes, size)
            defer { pthread_attr_destroy(&attributes) }
            #if canImport(Darwin)
            var thread: pthread_t?
            #else
            var thread = pthread_t()
            #endif
            let context = Unmanaged.passRetained(job)
            let status = pthread_create(
                &thread,
                &attributes,
                { context in
                    // An optional on Linux, where it is the one that is passed below all the same.
                    let context: UnsafeMutableRawPointer? = context
                    context.map { Unmanaged<Job>.fromOpaque($0).takeRetainedValue().body() }
                    return nil
                },
                context.toOpaque()
            )
            guard status == 0 else {
                // There is no other stack: what is left of this one has to do.
                context.release()
                return job.body()
            }
            #if canImport(Darwin)
            if let thread { pthread_join(thread, nil) }
            #else
            pthread_join(thread, nil)
            #endif
        }
    }

    /// What the other thread runs.
    private final class Job {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// The lowest address of this thread's stack that may be used.
    private static var limit: UInt {
        if let known = pthread_getspecific(slot) { return UInt(bitPattern: known) }
        let limit = lowestAddress() + reserve
        pthread_setspecific(slot, UnsafeRawPointer(bitPattern: limit))
        return limit
    }

    private static let slot: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The end of this thread's stack.
    private static func lowestAddress() -> UInt {
        #if canImport(Darwin)
        let thread = pthread_self()
        return UInt(bitPattern: pthread_get_stackaddr_np(thread))
            - UInt(pthread_get_stacksize_np(thread))
        #else
        var attributes = pthread_attr_t()
        var address: UnsafeMutableRawPointer?
        var size = 0
        guard let getAttributes, getAttributes(pthread_self(), &attributes) == 0 else {
            // Where it cannot be asked for, a small stack is assumed.
            return withUnsafePointer(to: &size) { UInt(bitPattern: $0) - 256 * 1024 }
        }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_getstack(&attributes, &address, &size)
        return UInt(bitPattern: address)
        #endif
    }

    #if !canImport(Darwin)
    private typealias GetAttributes =
        @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

    /// The function of the system, which its headers show to programs in C only.
    private static let getAttributes: GetAttributes? = {
        guard let symbol = dlsym(nil, "pthread_getattr_np") else { return nil }
        // The symbol has this type wherever it is defined.
        return unsafeBitCast(symbol, to: GetAttributes.self)
    }()
    #endif
}
