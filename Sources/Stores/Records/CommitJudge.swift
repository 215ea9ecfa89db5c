package import ModelKitModels

/// What judges the records that were committed, such as the answer to a live query.
package protocol CommitJudge: AnyObject, Sendable {
    /// The type whose records it judges, with those of its subclasses.
    var schema: ModelSchema { get }
    /// The names of the types whose records decide, too, what it finds.
    var partners: Set<String> { get }
    /// Whether it needs the records of a type.
    func needsRows(of schema: ModelSchema) -> Bool
    /// Whether it also needs them as they were before.
    var needsOldRows: Bool { get }
    /// Takes a commit; of none, that the store was closed; nil, that others have written, nobody knows what.
    ///
    /// Commits come in their order. It calls nothing of the user's, as the store may hold a lock.
    func take(_ changes: RecordChanges?)
    /// Is called after that, when the store holds no lock.
    func notify()
}

/// Judges by the types that concern them: a commit costs those of other types nothing.
struct CommitJudges: Sendable {
    private typealias Numbered = [UInt64: any CommitJudge]

    private var all: Numbered = [:]
    /// By the names of their own types and of their partners.
    private var byName: [String: Numbered] = [:]
    /// By their own types, for the records of subclasses.
    private var byType: [ObjectIdentifier: Numbered] = [:]
    /// Those of classes, whose subclasses another type may have the name of.
    private var ofClasses: Numbered = [:]
    /// How many need records as they were before.
    private var oldCount = 0

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }
    var needOldRows: Bool { oldCount > 0 }
    var everyone: [any CommitJudge] { Array(all.values) }

    mutating func add(_ judge: any CommitJudge, _ number: UInt64) {
        all[number] = judge
        if judge.needsOldRows { oldCount += 1 }
        for name in Self.names(judge) { byName[name, default: [:]][number] = judge }
        byType[judge.schema.type, default: [:]][number] = judge
        if judge.schema.prototype is ModelObject { ofClasses[number] = judge }
    }

    mutating func remove(_ number: UInt64) -> (any CommitJudge)? {
        guard let judge = all.removeValue(forKey: number) else { return nil }
        if judge.needsOldRows { oldCount -= 1 }
        for name in Self.names(judge) { byName[name]?[number] = nil }
        byType[judge.schema.type]?[number] = nil
        ofClasses[number] = nil
        return judge
    }

    private static func names(_ judge: any CommitJudge) -> Set<String> {
        judge.partners.union([judge.schema.name])
    }

    /// Those whom a commit may concern; all of them where only names are known of a change, or nothing.
    func concerned(by changes: RecordChanges?) -> [any CommitJudge] {
        guard let changes = changes?.changes, let first = changes.first else { return everyone }
        if changes.count == 1, let schema = first.written?.schema { return concerned(schema) }
        var (seen, found): (Set<ObjectIdentifier>, Numbered) = ([], [:])
        for change in changes {
            guard let schema = change.written?.schema else { return everyone }
            guard seen.insert(ObjectIdentifier(schema)).inserted else { continue }
            for group in groups(schema) { found.merge(group) { first, _ in first } }
            if found.count == all.count { break }
        }
        return Array(found.values)
    }

    private func concerned(_ schema: ModelSchema) -> [any CommitJudge] {
        let groups = groups(schema)
        guard groups.count > 1 else { return groups.first.map { Array($0.values) } ?? [] }
        return Array(groups.reduce(into: Numbered()) { $0.merge($1) { first, _ in first } }.values)
    }

    /// Whether one of those whom records of a type may concern is such a one.
    func contains(of schema: ModelSchema, where test: (any CommitJudge) -> Bool) -> Bool {
        groups(schema).contains { $0.values.contains(where: test) }
    }

    /// Those of a type, of its partners and of the classes that it inherits from; some may be in two.
    private func groups(_ schema: ModelSchema) -> [Numbered] {
        let others = schema.bases.map { byType[$0] } + [schema.bases.isEmpty ? nil : ofClasses]
        return ([byName[schema.name]] + others).compactMap { $0?.isEmpty ?? true ? nil : $0 }
    }
}
