import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import Synchronization
import TestSupport
import Testing

extension OldRelationTests {
    /// Files of programs in which a record held the models of relations that are derived by now.
    @Suite struct Archives {
        private let directory: TemporaryDirectory

        /// With the file that a program with commit 36486cc has written.
        init() throws {
            directory = try TemporaryDirectory()
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            try FileManager.default.copyItem(
                atPath: tests.appending(path: "Data/relations/36486cc.archive").path,
                toPath: directory.path + "/group-old.archive"
            )
        }

        /// Uses the file, and gives what is reported of old relations meanwhile.
        private func reports(
            _ body: @escaping (ArchiveModelStore) async throws -> Void
        ) async throws -> [String] {
            try await OldRelationTests.reports {
                let store = try ArchiveModelStore(directory: directory.path, group: "old")
                do {
                    try await body(store)
                } catch {
                    try await store.close().value
                    throw error
                }
                try await store.close().value
            }
            .map(\.message)
        }

        private func message(_ relation: String, _ found: String) -> String {
            "what was kept of \(relation) with the owners is not read any more, but has \(found): "
                + "moveChildren(of: \\\(relation)) of the store makes records of them"
        }

        @Test func `what is in old records alone is reported, kept and not read`() async throws {
            for round in 0..<2 {
                let found = try await reports { store in
                    let account = try await store.lookup(Kept.Account.self, identifier: "a1").value
                    expect(account.entries.loadState, equals: .notLoaded)
                    expect(account.total.value, equals: nil)
                    _ = try await store.load(account, \.entries).value
                    expect(account.total.value, equals: 11)
                    account.name.value = "round \(round)"
                    _ = try await store.update(account).value
                    _ = try await store.list(Kept.Folder.self).value
                }
                expect(
                    found,
                    equals: [
                        message("Account.entries", "3 models without a record"),
                        message("Account.settings", "1 model without a record"),
                        message("Folder.files", "the owners of 1 record without a key"),
                        message("Folder.cover", "the owners of 1 record without a key"),
                    ]
                )
            }
            let text = try String(
                contentsOfFile: directory.path + "/group-old.archive",
                encoding: .utf8
            )
            expect(text.contains("\"receipt a2 1\""))
        }

        @Test func `records are made of them, once`() async throws {
            let found = try await reports { store in
                try await expect(store.moveChildren(of: \Kept.Account.entries).value, equals: 6)
                try await expect(store.moveChildren(of: \Kept.Team.players).value, equals: 2)
                try await expect(store.moveChildren(of: \Kept.Folder.files).value, equals: 1)
                let accounts = try await store.list(Kept.Account.self, including: \.entries).value
                expect(accounts.map(\.total.value), equals: [31, 230, 0])
                let entries = accounts.flatMap { $0.entries.value ?? [] }
                expect(
                    entries[1].bookedAt.value,
                    equals: Date(timeIntervalSince1970: 1_700_000_020)
                )
                _ = try await store.load(entries, \.receipts).value
                expect(
                    entries.map { $0.receipts.value?.map(\.id.value) },
                    equals: [[1], [2], [3], [4]]
                )
                let team = try await store.lookup(Kept.Team.self, identifier: 1).value
                _ = try await store.load(team, \.players).value
                expect(team.players.value?.map(\.name.value), equals: ["Bob", "Ada", "Cy"])
                expect(team.players.value?.map(\.id.value), equals: [1, 7, 8])
                let file = try await store.lookup(Kept.File.self, identifier: "f2").value
                expect(file.folder.value?.id.value, equals: "d1")
                _ = try await store.delete(entries[1]).value
            }
            expect(found.count, equals: 5)
            let again = try await reports { store in
                try await expect(store.moveChildren(of: \Kept.Account.entries).value, equals: 0)
                let accounts = try await store.list(Kept.Account.self, including: \.entries).value
                expect(accounts.map(\.total.value), equals: [11, 230, 0])
            }
            expect(again, equals: [message("Account.settings", "1 model without a record")])
        }

        @Test func `what nothing is lost of is not looked through again`() async throws {
            let found = try await reports { store in
                // Entry e1 has its receipt, e9 has none.
                _ = try await store.list(Kept.Entry.self).value
                _ = try await store.delete(Kept.Receipt.self, identifier: 1).value
            }
            expect(found, equals: [])
            try await expect(reports { _ = try await $0.list(Kept.Entry.self).value }, equals: [])
        }

        @Test func `a file of the first version keeps them, too`() async throws {
            let path = directory.path + "/group-old.archive"
            try Data(#"{"Account": [{"id": "a", "entries": [{"id": "e", "amount": 5}]}]}"#.utf8)
                .write(to: URL(fileURLWithPath: path))
            let found = try await reports { store in
                let account = try await store.lookup(Kept.Account.self, identifier: "a").value
                account.name.value = "A"
                _ = try await store.update(account).value
            }
            expect(found, equals: [message("Account.entries", "1 model without a record")])
            let again = try await reports { store in
                try await expect(store.moveChildren(of: \Kept.Account.entries).value, equals: 1)
                let entry = try await store.lookup(Kept.Entry.self, identifier: "e").value
                expect(entry.amount.value, equals: 5)
                expect(entry.account.value?.id.value, equals: "a")
            }
            expect(again, equals: found)
        }

        @Test func `a relation that is not the other side of a key is refused`() async throws {
            _ = try await reports { store in
                await #expect(
                    throws: StoreError.schema("Entry.account is not the other side of a key")
                ) { try await store.moveChildren(of: \Kept.Entry.account).value }
            }
        }
    }
}
