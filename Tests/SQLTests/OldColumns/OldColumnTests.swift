import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import Synchronization
import TestSupport
import Testing

/// Serialised, as the handler of diagnostics is that of the process: the stores report on their own queues.
@Suite(.serialized) enum OldRelationTests {
    /// What is reported of old relations meanwhile.
    static func reports(_ body: () async throws -> Void) async throws -> [Diagnostic] {
        let found = Mutex<[Diagnostic]>([])
        let before = ModelKitDiagnostics.handler
        let noting: ModelKitDiagnostics.Handler = { diagnostic in
            if diagnostic.code == .oldColumn { found.withLock { $0.append(diagnostic) } }
        }
        ModelKitDiagnostics.handler = noting
        defer { ModelKitDiagnostics.handler = before }
        try await body()
        return found.withLock { $0 }
    }
}

extension OldRelationTests {
    @Suite struct Columns {
        let file: MigratedFile

        init() throws { file = try .ofBefore() }

        /// What is reported of old columns meanwhile, by their names.
        private func reports(_ body: () async throws -> Void) async throws -> [String: String] {
            try Dictionary(
                try await OldRelationTests.reports(body).map { ($0.field ?? "", $0.message) },
                uniquingKeysWith: { _, _ in throw StoreError.unsupported("reported twice") }
            )
        }

        private static func text(_ name: String, _ found: String) -> String {
            "what was kept of \(name) with the owners is not read any more, but has \(found): "
                + "the migration .moveChildren(of: \\\(name)) makes records of them"
        }

        private static let expected = [
            "Account.entries": text("Account.entries", "3 models without a record"),
            "Account.settings": text("Account.settings", "1 model without a record"),
            "Team.players": text("Team.players", "2 models without a record"),
            "Folder.files": text("Folder.files", "the owners of 1 record without a key"),
            "Folder.cover": text("Folder.cover", "the owners of 1 record without a key"),
            "Tag.posts": text("Tag.posts", "1 model without a record"),
        ]

        @Test func `a file of before opens, and what is in old columns alone is reported once`()
            async throws
        {
            for _ in 0..<2 {
                let found = try await reports {
                    try await file.withStore { store in
                        try await Kept.useAll(store)
                        try await Kept.useAll(store)
                    }
                }
                expect(found, equals: Self.expected)
            }
        }

        @Test func `a file that is only read reports them, too, and stays as it is`() async throws {
            let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
            let found = try await reports {
                let store = try SQLiteModelStore(path: file.path, access: .readOnly)
                try await Kept.useAll(store)
                try await store.close().value
            }
            // Whose row a model without an identifier has is not looked for there.
            var expected = Self.expected
            expected["Team.players"] = Self.text("Team.players", "3 models without a record")
            expect(found, equals: expected)
            try expect(Data(contentsOf: URL(fileURLWithPath: file.path)), equals: before)
        }

        @Test func `the columns are neither read nor written`() async throws {
            let columns =
                "SELECT id || coalesce(entries, '-') || coalesce(settings, '-') FROM Account"
            let before = try file.column(columns)
            try await file.withStore { store in
                let account = try await store.lookup(Kept.Account.self, identifier: "a1").value
                expect(account.entries.loadState, equals: .notLoaded)
                expect(account.total.value, equals: nil)
                _ = try await store.load(account, \.entries).value
                expect(account.total.value, equals: 11)
                account.name.value = "new name"
                _ = try await store.update(account).value
                let other = Kept.Account()
                other.id.value = "a4"
                let entry = Kept.Entry()
                entry.id.value = "e4"
                other.entries.append(entry)
                _ = try await store.save(other, including: \.entries).value
            }
            try expect(file.column(columns), equals: before + ["a4--"])
            try expect(file.column("SELECT account FROM Entry WHERE id = 'e4'"), equals: ["a4"])
        }

        @Test func `what is deleted later is not taken for lost`() async throws {
            try await file.withStore { store in
                try await Kept.useAll(store)
                _ = try await store.delete(Kept.Entry.self, identifier: "e1").value
            }
            let found = try await reports {
                try await file.withStore { try await Kept.useAll($0) }
            }
            expect(found, equals: Self.expected)
            try await file.migrate(Kept.migrations)
            try expect(
                file.column("SELECT id FROM Entry WHERE length(id) < 9 ORDER BY id"),
                equals: ["e2", "e3", "e9"]
            )
        }

        @Test func `the migration makes rows of them, and of what they have`() async throws {
            let deleted = try await reports {
                try await file.withStore(Kept.migrations) { store in
                    let accounts = try await store.list(Kept.Account.self, including: \.entries)
                        .value
                    expect(accounts.map(\.total.value), equals: [31, 230, 0])
                    let entries = accounts.flatMap { $0.entries.value ?? [] }
                    _ = try await store.load(entries, \.receipts).value
                    expect(
                        entries.map { $0.receipts.value?.map(\.id.value) },
                        equals: [[1], [2], [3], [4]]
                    )
                    let (moved, made) = (entries[1], entries[3])
                    expect(
                        moved.dictionaryValue(),
                        equals: [
                            "id": "e2", "amount": 20, "price": "20.25", "isPaid": true,
                            "bookedAt": .date(Date(timeIntervalSince1970: 1_700_000_020)),
                            "text.memo": "memo 20", "place": ["city": "Paris 20"], "account": "a1",
                        ]
                    )
                    expect(made.id.value?.count, equals: 36)
                    expect(made.receipts.value?.map(\.text.value), equals: ["receipt a2 1"])
                    let one = try await store.list(Kept.Account.self, including: \.settings).value
                    expect(
                        one.map { $0.settings.value?.theme.value },
                        equals: ["dark", "blue", nil]
                    )
                    let team = try await store.lookup(Kept.Team.self, identifier: 1).value
                    _ = try await store.load(team, \.players).value
                    let players = team.players.value ?? []
                    expect(
                        players.map { "\($0.id.value ?? 0) \($0.name.value ?? "")" },
                        equals: ["1 Bob", "7 Ada", "8 Cy"]
                    )
                    let folder = try await store.lookup(Kept.Folder.self, identifier: "d1").value
                    _ = try await store.load(folder, \.files).value
                    _ = try await store.load(folder, \.cover).value
                    expect(folder.files.value?.map(\.id.value), equals: ["f1", "f2"])
                    expect(folder.cover.value?.id.value, equals: 1)
                    let post = try await store.lookup(Kept.Post.self, identifier: "p2").value
                    expect(post.tags.value?.map(\.id.value), equals: ["red", "green"])
                    expect(post.title.value, equals: "Two")
                    let player = Kept.Player()
                    _ = try await store.create(player).value
                    expect(player.id.value, equals: 9)
                    _ = try await store.delete(moved).value
                }
            }
            expect(deleted, equals: [:])
            // Nothing is left to be reported or to be made.
            let again = try await reports {
                try await file.withStore(Kept.migrations) { try await Kept.useAll($0) }
            }
            expect(again, equals: [:])
            try expect(file.column("SELECT id FROM Entry WHERE id = 'e2'"), equals: [])
        }

        @Test func `rows that are there, and all columns of before, stay as they are`() async throws
        {
            let tables = [
                "Account", "Entry", "Settings", "Receipt", "Team", "Player", "Folder", "Tag",
                "Post",
            ]
            let before = try file.rows(tables)
            let schema =
                "SELECT sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE '_modelkit_%'"
            let definitions = try file.column(schema)
            try await file.withStore(Kept.migrations) { try await Kept.useAll($0) }
            let after = try file.rows(tables)
            expect(before.filter { !after.contains($0) }, equals: [])
            try expect(file.column(schema), equals: definitions)
        }

        @Test func `a migration that is interrupted is taken back, and made again`() async throws {
            try file.execute(
                "CREATE TRIGGER stop BEFORE INSERT ON Receipt WHEN NEW.id = 4 BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
            let before = try file.rows(["Entry", "Receipt", "sqlite_master"])
            await #expect(throws: StoreError.self) { try await file.migrate(Kept.migrations) }
            try expect(file.rows(["Entry", "Receipt", "sqlite_master"]), equals: before)
            try file.execute("DROP TRIGGER stop")
            let progress = Mutex<[String]>([])
            let store = try await SQLiteModelStore.open(
                path: file.path,
                migrations: Kept.migrations
            ) { state in
                progress.withLock { $0.append("\(state)") }
            }
            try await store.close().value
            expect(
                Array(progress.withLock { $0 }.prefix(4)),
                equals: [
                    "1 of 6: \"moveChildren(of: Account.entries)\"",
                    "1 of 6: \"moveChildren(of: Account.entries)\", 0 of 3 rows",
                    "1 of 6: \"moveChildren(of: Account.entries)\", 3 of 3 rows",
                    "2 of 6: \"moveChildren(of: Account.settings)\"",
                ]
            )
            try expect(file.column("SELECT count(*) FROM Entry"), equals: ["5"])
        }

        @Test(arguments: [true, false])
        func `later migrations find what was moved by its names of before`(isThere: Bool)
            async throws
        {
            if !isThere { try file.execute("DROP TABLE Entry") }
            let migrations: [SQLiteMigration] = [
                .moveChildren(of: \Later.Account.entries),
                SQLiteMigration("sum") { try $0.rename("amount", to: "sum", in: "Entry") },
            ]
            try await file.withStore(migrations) { store in
                let accounts = try await store.list(Later.Account.self, including: \.entries).value
                let sums = accounts.map { $0.entries.value?.map(\.sum.value) }
                // The column has what it had when the account was written.
                expect(sums, equals: [[isThere ? 11 : 10, 20], [110, 120], []])
            }
        }

        @Test func `new records begin above the revisions of deleted ones`() async throws {
            try file.execute(
                """
                CREATE TABLE "_modelkit_revisions" ("type" TEXT PRIMARY KEY NOT NULL, \
                "last" INTEGER NOT NULL) WITHOUT ROWID;
                INSERT INTO "_modelkit_revisions" VALUES ('Entry', 7)
                """
            )
            try await file.migrate(Kept.migrations)
            try expect(
                file.column("SELECT _revision FROM Entry ORDER BY _order"),
                equals: [
                    "1", "1", "8", "8", "8",
                ]
            )
        }

        @Test func `a relation that is not the other side of a key is refused`() async throws {
            await #expect(
                throws: StoreError.schema(
                    "the migration \"moveChildren(of: Entry.account)\" failed: "
                        + "Entry.account is not the other side of a key"
                )
            ) {
                try await file.migrate([.moveChildren(of: \Kept.Entry.account)])
            }
        }
    }
}
