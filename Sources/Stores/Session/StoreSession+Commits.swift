import ModelKitModels

extension StoreSession {
    /// Keeps what others commit until the closure is called that this gives.
    func keepCommits() -> @Sendable () -> Void {
        identities.lock.withLock { commits.beginReading() }
        return { [self] in identities.lock.withLock { commits.endReading() } }
    }

    /// Where the next commit of others will be; they must be kept.
    var commitsEnd: Int { identities.lock.withLock { commits.end } }

    /// Whether others have committed something since a place.
    func hasCommits(
        since start: Int,
        where isMeant: (CommitLog.Commit) -> Bool
    ) -> Bool {
        let commits = identities.lock.withLock { Array(self.commits.since(start)) }
        return commits.contains(where: isMeant)
    }
}
