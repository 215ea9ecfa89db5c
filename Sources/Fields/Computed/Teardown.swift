#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Releases objects one after the other: the closure of a computed field holds the one that it reads,
/// and so on, and a long chain that dies would otherwise use the stack for each.
enum Teardown {
    /// Releases objects; the caller must hold no other reference to them.
    static func release(_ objects: inout [Any]) {
        if let waiting = pthread_getspecific(slot)?.assumingMemoryBound(to: [Any].self) {
            waiting.pointee += objects
            return objects = []
        }
        var waiting = objects
        objects = []
        withUnsafeMutablePointer(to: &waiting) { pointer in
            pthread_setspecific(slot, pointer)
            while !pointer.pointee.isEmpty {
                // Taken out first: what it releases may add others.
                let last = pointer.pointee.removeLast()
                withExtendedLifetime(last) {}
            }
            pthread_setspecific(slot, nil)
        }
    }

    private static let slot: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()
}
