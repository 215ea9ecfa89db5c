import Synchronization

/// Counts the moments in which others may see what was not judged yet, and the ends of these.
final class SQLiteCommits: Sendable {
    private let moments = Atomic<Int>(0)

    /// Odd in such a moment.
    var count: Int { moments.load(ordering: .sequentiallyConsistent) }

    func noteVisible() { moments.add(1, ordering: .sequentiallyConsistent) }

    func noteJudged() { moments.add(1, ordering: .sequentiallyConsistent) }
}
