/// Releases objects one after the other: the closure of a computed field holds the one that it reads,
/// and so on, and a long chain that dies would otherwise use the stack for each.
enum Teardown {
    /// Releases objects; the caller must hold no other reference to them.
    static func release(_ objects: inout [Any]) {
        let thread = ThreadState.current
        if let waiting = thread.pointee.remains {
            waiting.pointee += objects
            return objects = []
        }
        var waiting = objects
        objects = []
        withUnsafeMutablePointer(to: &waiting) { pointer in
            thread.pointee.remains = pointer
            while !pointer.pointee.isEmpty {
                // Taken out first: what it releases may add others.
                let last = pointer.pointee.removeLast()
                withExtendedLifetime(last) {}
            }
            thread.pointee.remains = nil
        }
    }
}
