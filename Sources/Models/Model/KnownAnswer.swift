import Synchronization

/// Whether something is so, found out when it is asked for the first time.
struct KnownAnswer: ~Copyable {
    /// 1 for yes, 2 for no; 0 before it is known.
    private let answer = Atomic<UInt8>(0)

    /// The answer; yes, as long as it cannot be found out.
    ///
    /// - Parameter find: Finds it out, maybe on several threads at once; nil, if that is not possible yet.
    /// - Returns: The answer.
    @inline(__always)
    func get(_ find: () -> Bool?) -> Bool {
        let known = answer.load(ordering: .relaxed)
        if known != 0 { return known == 1 }
        guard let found = find() else { return true }
        answer.store(found ? 1 : 2, ordering: .relaxed)
        return found
    }
}
