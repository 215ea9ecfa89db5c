import ModelKit

/// Makes a database and a server have the same: what was created, changed or deleted on one side since they
/// last met is so on the other.
///
/// Whenever it ends early, it can be run again: each step leaves what the next run takes for done.
struct SyncCommand {
    private let local: any ModelStore
    private let remote: any ModelStore
    private let server: String
    private let winner: Side?

    init(_ local: any ModelStore, with remote: any ModelStore, at server: String, winner: Side?) {
        self.local = local
        self.remote = remote
        self.server = server
        self.winner = winner
    }

    /// What was done.
    private struct Report {
        var sent = 0
        var fetched = 0
        var refusals: [String] = []
        /// How many records somebody else changed meanwhile.
        var races = 0
    }

    /// Runs it and gives the exit status.
    func run() async throws -> Int32 {
        var report = Report()
        // Who loses a race looks again.
        for _ in 0..<5 {
            report.refusals = []
            report.races = 0
            try await sync(Person.self, &report)
            // By now both have the same people, but for those that were refused.
            let people = try await models(of: Person.self, in: local).merging(
                try await models(of: Person.self, in: remote)
            ) { $1 }
            try await sync(Office.self, &report) { office in
                guard let person = office.person.value, people[.string(person)] == nil else {
                    return nil
                }
                return "is of \(person), who is not there any more"
            }
            if report.races == 0 { break }
        }
        try Console.print("\(report.sent) sent to \(server), \(report.fetched) fetched")
        for refusal in report.refusals { try Console.print(refusal) }
        if report.races > 0 {
            try Console.print("\(report.races) were changed meanwhile; sync once more")
        }
        return report.refusals.isEmpty && report.races == 0 ? 0 : 1
    }

    /// Syncs the records of a type, but for those that a closure says a reason of not to make on the other side.
    private func sync<M: Model>(
        _ type: M.Type,
        _ report: inout Report,
        refusal: (M) -> String? = { _ in nil }
    ) async throws {
        let here = try await models(of: type, in: local)
        let there = try await models(of: type, in: remote)
        let prefix = SyncedRecord.prefix(server, type)
        let notes = Dictionary(
            try await local.list(SyncedRecord.self, where: .hasPrefix(\.id, prefix)).value
                .map { ($0.id.value ?? "", $0) },
            uniquingKeysWith: { $1 }
        )
        let known = notes.keys.map { Identifier.string(String($0.dropFirst(prefix.count))) }
        let identifiers = Set(here.keys).union(there.keys).union(known)
        for identifier in identifiers.sorted(by: { $0.description < $1.description }) {
            let record = Pair(
                identifier: identifier,
                here: here[identifier],
                there: there[identifier],
                note: notes["\(prefix)\(identifier)"],
                noteIdentifier: "\(prefix)\(identifier)"
            )
            do {
                try await sync(record, &report, refusal)
            } catch StoreError.conflict, StoreError.alreadyExists, StoreError.notFound {
                report.races += 1
            } catch StoreError.validation(let issues) {
                let text = issues.map(\.description).joined(separator: "; ")
                report.refusals.append("refused \(identifier) \(text)")
            } catch let error as StoreError where error.isOfOneRecord {
                report.refusals.append("refused \(identifier) \(error)")
            }
        }
    }

    /// One record on both sides.
    private struct Pair<M: Model> {
        let identifier: Identifier
        let here: M?
        let there: M?
        let note: SyncedRecord?
        let noteIdentifier: String
    }

    private func sync<M: Model>(
        _ record: Pair<M>,
        _ report: inout Report,
        _ refusal: (M) -> String?
    ) async throws {
        let base = try record.note?.content.value.map { try AttributeDictionary(content: $0) }
        let here = try record.here?.content()
        let there = try record.there?.content()
        let keys = M.schema.fields.map(\.key)
        let step = SyncStep(keys, base: base, here: here, there: there, winner: winner)
        var common = here ?? there
        if case .create = step, let refusal = (record.here ?? record.there).flatMap(refusal) {
            report.refusals.append("conflict \(record.identifier) \(refusal)")
            return
        }
        switch step {
        case .nothing: break
        case .conflict(let conflicts):
            let text = conflicts.map(\.description).joined(separator: "; ")
            report.refusals.append("conflict \(record.identifier) \(text)")
            return
        case .create(.there):
            _ = try await remote.create(M(dictionaryValue: here ?? [:])).value
            report.sent += 1
        case .create(.here):
            _ = try await local.create(M(dictionaryValue: there ?? [:])).value
            report.fetched += 1
        case .delete(.there):
            if let model = record.there { _ = try await remote.delete(model).value }
            report.sent += 1
            common = nil
        case .delete(.here):
            if let model = record.here { _ = try await local.delete(model).value }
            report.fetched += 1
            common = nil
        case .change(let mine, let theirs):
            // The server first: if it refuses, nothing has been done.
            try await set(theirs, in: record.there, of: remote, &report.sent)
            try await set(mine, in: record.here, of: local, &report.fetched)
            common = try record.here?.content()
        }
        try await note(common, base, record)
    }

    private func set<M: Model>(
        _ changes: [FieldKey: AttributeValue],
        in model: M?,
        of store: any ModelStore,
        _ count: inout Int
    ) async throws {
        guard let model, !changes.isEmpty else { return }
        for (key, value) in changes {
            try model.read(dictionaryValue: .nesting(value, at: key))
        }
        _ = try await store.update(model).value
        count += 1
    }

    private func note<M: Model>(
        _ content: AttributeDictionary?,
        _ base: AttributeDictionary?,
        _ record: Pair<M>
    ) async throws {
        guard let content else {
            if let note = record.note { _ = try await local.delete(note).value }
            return
        }
        if content == base { return }
        let note = record.note ?? SyncedRecord()
        note.id.value = record.noteIdentifier
        note.content.value = try content.contentText()
        _ = try await local.save(note).value
    }

    private func models<M: Model>(
        of type: M.Type,
        in store: any ModelStore
    ) async throws -> [Identifier: M] {
        Dictionary(
            try await store.list(type).value.compactMap { model in
                model.identifier.map { ($0, model) }
            },
            uniquingKeysWith: { $1 }
        )
    }
}

extension StoreError {
    /// Whether other records may well be taken where this one was not.
    fileprivate var isOfOneRecord: Bool {
        switch self {
        case .unsupported, .forbidden, .noIdentifier: true
        default: false
        }
    }
}
