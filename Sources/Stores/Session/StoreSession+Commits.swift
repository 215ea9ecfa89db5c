import ModelKitModels

/// What was committed while something is being read, as the answer may not have it.
struct CommitLog: Sendable {
    /// A commit that relations depend on.
    struct Commit: Sendable {
        let type: String
        /// nil for any record of the type.
        let identifier: Identifier?
        /// The values of the keys that were written.
        let keys: [AttributeValue]
        /// The revision that a model of this store has written, which has the keys already as long as it is in use.
        let own: Int64?
    }

    fileprivate var readers = 0
    fileprivate var commits: [Commit] = []
}

extension StoreSession {
    /// Whether somebody reads what commits may change.
    var keepsCommits: Bool { identities.lock.withLock { log.readers > 0 } }

    /// Keeps what is committed until the closure is called that this gives.
    func keepCommits() -> @Sendable () -> Void {
        identities.lock.withLock { log.readers += 1 }
        return { [self] in
            identities.lock.withLock {
                log.readers -= 1
                if log.readers == 0 { log.commits = [] }
            }
        }
    }

    /// Where the next commit will be; they must be kept.
    var commitsEnd: Int { identities.lock.withLock { log.commits.count } }

    /// Whether something was committed since a place.
    func hasCommits(since start: Int, where isMeant: (CommitLog.Commit) -> Bool) -> Bool {
        identities.lock.withLock { log.commits }.dropFirst(start).contains(where: isMeant)
    }

    /// Keeps a commit, if somebody reads.
    func keep(
        _ type: String,
        _ identifier: Identifier?,
        _ keys: [AttributeValue],
        own: Int64? = nil
    ) {
        let commit = CommitLog.Commit(type: type, identifier: identifier, keys: keys, own: own)
        identities.lock.withLock { if log.readers > 0 { log.commits.append(commit) } }
    }
}
