import ModelKitModels

/// What others have committed while something is being read, as the answer may not have it.
struct CommitLog: Sendable {
    /// A commit that relations depend on.
    struct Commit: Sendable {
        let type: String
        /// nil for any record of the type.
        let identifier: Identifier?
        /// The values of the keys that were written.
        let keys: [AttributeValue]
    }

    private var readers = 0
    private var commits: [Commit] = []

    /// Where the next commit will be.
    var end: Int { commits.count }

    mutating func beginReading() { readers += 1 }

    mutating func endReading() {
        readers -= 1
        if readers == 0 { commits = [] }
    }

    mutating func add(_ commit: Commit) { if readers > 0 { commits.append(commit) } }

    /// The commits since a place.
    func since(_ start: Int) -> ArraySlice<Commit> { commits[min(start, commits.count)...] }
}
