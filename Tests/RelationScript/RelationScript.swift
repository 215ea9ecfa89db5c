import ModelKitFields
package import ModelKitModels
package import ModelKitStores
import TestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A random script of steps over related models: after each of them loaded relations, totals and counts have to
/// be those of plain values, and nothing else may be loaded.
///
/// It is not safe to be used by several tasks.
package final class RelationScript {
    /// What a script is played on.
    package struct Stage: Sendable {
        /// Opens the records, which stay, and makes two stores of them.
        package var open: @Sendable () async throws -> [any RecordModelStore]
        package var close: @Sendable ([any RecordModelStore]) async throws -> Void
        /// Whether each of the two is notified of what the other commits.
        package var isNotified: Bool
        /// Whether the stores make transactions.
        package var hasTransactions = true
        /// Whether a store is notified of what has followed from its own deletions.
        package var reportsEffects: Bool

        package init(
            isNotified: Bool = true,
            reportsEffects: Bool = true,
            open: @escaping @Sendable () async throws -> [any RecordModelStore],
            close: @escaping @Sendable ([any RecordModelStore]) async throws -> Void = { _ in }
        ) {
            (self.open, self.close, self.isNotified, self.reportsEffects) = (
                open, close, isNotified, reportsEffects
            )
        }

        /// Two sessions over the same records, which stay open.
        package static func sessions(over records: any RecordStore) -> Stage {
            Stage(open: { [OtherSession(records), OtherSession(records)] })
        }
    }

    package static let types: [any Model.Type] = ScriptKind.allCases.map(\.type)

    /// A second store of the same records.
    package static func second(_ store: any RecordModelStore) -> any RecordModelStore {
        OtherSession(store.records)
    }

    /// How many steps a test makes: 10 000 of them with `MODELKIT_SCRIPT_STEPS=10000`.
    package static var steps: Int {
        ProcessInfo.processInfo.environment["MODELKIT_SCRIPT_STEPS"].flatMap { Int($0) } ?? 400
    }

    /// Kinds of steps that every script has to have.
    private static let required = [
        "second", "move between loaded and not loaded",
        "deletion of an owner with unloaded members",
    ]

    /// How often each kind of step was made.
    package private(set) var counts: [String: Int] = [:]

    /// The kinds of steps that were made too seldom: of 10 000, each 200 times.
    package var missing: [String] {
        let least = Self.steps < 10_000 ? 1 : 200
        return Self.required.filter { counts[$0, default: 0] < least }
            .map { "\($0): \(counts[$0, default: 0])" }
    }

    let stage: Stage
    var random: SplitMix
    var world = ScriptWorld()
    /// The first one makes most of the steps.
    var sessions: [ScriptSession] = []
    /// The numbers of new models.
    var lastNumber = 0
    /// What the step has written, whether that has changed anything or not.
    var written: [ScriptRef] = []
    private var log: [String] = []

    package init(seed: UInt64, on stage: Stage) {
        (random, self.stage) = (SplitMix(seed: seed), stage)
    }

    /// Makes so many steps.
    ///
    /// - Throws: A `ScriptFailure` with the last steps, or the error of a store.
    package func run(steps: Int) async throws {
        var step = 0
        do {
            try await open()
            while step < steps {
                step += 1
                trace("-- \(step)")
                try await self.step()
                try await check()
                if step.isMultiple(of: 100) { try await checkRecords() }
            }
            try await close()
        } catch {
            let last = log.suffix(100).joined(separator: "\n")
            throw ScriptFailure("\(error)\nin step \(step), after\n\(last)")
        }
    }

    func note(_ step: String) { counts[step, default: 0] += 1 }

    func trace(_ line: @autoclosure () -> String) {
        if log.count > 400 { log.removeFirst(200) }
        log.append(line())
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : random.pick(elements)
    }

    private func step() async throws {
        let isSecond = chance(12)
        let session = sessions[isSecond ? 1 : 0]
        let before = world
        written = []
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: try await edit(session)
        case 40..<56: try await delete(session)
        case 56..<68: try await saveGraph(session)
        case 68..<82: try await load(session)
        case 82..<92: unload(session)
        case 92..<98: letGo(session)
        default:
            if chance(15) { return try await reopen() }
            try await load(session)
        }
        if isSecond { note("second") }
        if world.rows != before.rows || !written.isEmpty { try await notifyOthers(session, before) }
        if isSecond, !stage.isNotified || chance(10) {
            try await session.dropAll(expectsFreed: stage.reportsEffects)
        }
    }

    /// Compares all models in use of both stores.
    private func check() async throws {
        world.index()
        for session in sessions {
            var tries = 0
            while true {
                do {
                    try session.check(world)
                    break
                } catch {
                    // What another store commits may be read on another thread.
                    tries += 1
                    guard tries < 200, stage.isNotified else { throw error }
                    try await Task.sleep(for: .milliseconds(min(tries, 10)))
                }
            }
        }
    }

    private func open() async throws {
        let stores = try await stage.open()
        sessions = zip(["first", "second"], stores).map { ScriptSession($0, $1) }
    }

    private func close() async throws {
        for session in sessions { try await session.dropAll(expectsFreed: stage.reportsEffects) }
        let stores = sessions.map(\.store)
        sessions = []
        try await stage.close(stores)
    }

    /// Closes the records and opens them again: nothing is loaded, and what is loaded is what was there.
    private func reopen() async throws {
        trace("reopen")
        note("reopen")
        try await close()
        try await open()
        let session = sessions[0]
        for kind in ScriptKind.allCases {
            let found = try await list(kind, session)
            try session.expect(found.sorted(), world.refs(kind), "the list of \(kind)")
        }
        try session.check(world)
        for relation in ScriptRelation.all { try await loadAll(relation, session) }
        try session.check(world)
        for relation in ScriptRelation.all where chance(60) {
            for owner in world.refs(relation.owner) where chance(70) {
                unload(relation, owner, session)
            }
        }
        for ref in session.refs where chance(50) { session.held[ref] = nil }
    }

    /// Compares the records, and what a new store makes of them.
    private func checkRecords() async throws {
        let session = ScriptSession("new", OtherSession(sessions[0].store.records))
        for kind in ScriptKind.allCases {
            let records = try await session.store.records.fetch(RecordQuery(), of: kind.type.schema)
                .value
            let refs = records.map { ScriptRef(kind: kind, identifier: $0.identifier) }
            let expected = world.refs(kind).sorted {
                (world.rows[$0]?.place ?? 0) < (world.rows[$1]?.place ?? 0)
            }
            try session.expect(refs, expected, "the records of \(kind)")
            for (ref, record) in zip(refs, records) { try check(record, of: ref, session) }
        }
        for relation in ScriptRelation.all {
            try await loadAll(relation, session)
            for ref in world.refs(relation.owner) {
                guard let owner = session[ref] else { continue }
                let count = try await relation.count(owner, session.store)
                if let count {
                    let expected = world.members(of: ref, relation).count
                    try session.expect(count, expected, "the stored \(relation.name) of \(ref)")
                }
            }
        }
        try session.check(world)
        try await session.dropAll()
    }

    private func check(_ record: Record, of ref: ScriptRef, _ session: ScriptSession) throws {
        guard let row = world.rows[ref] else { return }
        try session.expect(record["amount"], .int(Int64(row.amount)), "the record of \(ref)")
        for relation in ScriptRelation.all(to: ref.kind) {
            var values: [AttributeValue] = []
            switch record[relation.key] {
            case nil, .null: break
            case .array(let all): values = all
            case let value?: values = [value]
            }
            let owners = (row.owners[relation.name] ?? []).map(\.identifier.attributeValue)
            try session.expect(values, owners, "the \(relation.name) key in the record of \(ref)")
        }
    }

    /// Loads a relation of all owners, together with them.
    func loadAll(_ relation: ScriptRelation, _ session: ScriptSession) async throws {
        for owner in try await relation.listOwners(session.store) {
            let ref = try session.noteRead(owner)
            if let owner = owner as? any ScriptModel { session.held[ref] = owner }
            session.setLoaded(true, ref, relation)
            for member in relation.members(owner) ?? [] { _ = try session.noteRead(member) }
        }
    }

    /// Lists all models of a type.
    private func list(_ kind: ScriptKind, _ session: ScriptSession) async throws -> [ScriptRef] {
        func open<M: ScriptModel>(_ type: M.Type) async throws -> [ScriptRef] {
            try await session.store.list(type).value.map { model in
                let ref = try session.noteRead(model)
                session.held[ref] = model
                return ref
            }
        }
        return try await open(kind.type)
    }
}
