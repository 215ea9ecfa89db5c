import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// A type with the names that the store itself has for what it notes of old columns.
private final class Odd: Model {
    let id = Field<String>()
    let type = Field<String>()
    let field = Field<String>()
    let owner = Field<String>()
    let identifier = Field<String>()
    let child = Field<String>()
    let items = ModelField<OddItem>(inverse: \.odd)*
    init() { linkFields() }
}

private final class OddItem: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let odd = ModelField<Odd>(foreignKey: true)
    init() { linkFields() }
}

private final class Box: Model {
    let id = Field<String>()
    let items = ModelField<Item>(inverse: \.box)*
    init() { linkFields() }
}

private final class Item: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let weight = Field<Double>()
    let isOld = Field<Bool>()
    let box = ModelField<Box>(foreignKey: true)
    init() { linkFields() }
}

private final class Tag: Model {
    let id = Field<String>()
    let posts = ModelField<Post>(inverse: \.tags)*
    init() { linkFields() }
}

private final class Post: Model {
    let id = Field<Int>()
    let title = Field<String>()
    let tags = ModelField<Tag>(foreignKey: true)*
    init() { linkFields() }
}

extension OldRelationTests {
    /// What old columns may have in them.
    @Suite struct ColumnValues {
        private let file: MigratedFile

        init() throws {
            file = try MigratedFile()
            let own =
                "\"_order\" INTEGER PRIMARY KEY AUTOINCREMENT, \"_revision\" INTEGER NOT NULL"
            try file.execute(
                """
                CREATE TABLE Box (\(own), "id" TEXT NOT NULL UNIQUE, "items" TEXT);
                CREATE TABLE Odd (\(own), "id" TEXT NOT NULL UNIQUE, "type" TEXT, "field" TEXT, \
                "owner" TEXT, "identifier" TEXT, "child" TEXT, "items" TEXT);
                CREATE TABLE Item (\(own), "id" INTEGER NOT NULL UNIQUE, "name" TEXT, \
                "weight" REAL, "isOld" INTEGER, "box" TEXT);
                CREATE TABLE Tag (\(own), "id" TEXT NOT NULL UNIQUE, "posts" TEXT);
                CREATE TABLE Post (\(own), "id" INTEGER NOT NULL UNIQUE, "title" TEXT);
                CREATE TABLE "_modelkit_numbers" ("type" TEXT PRIMARY KEY NOT NULL, \
                "last" INTEGER NOT NULL) WITHOUT ROWID
                """
            )
        }

        /// Adds boxes with what is in their columns.
        private func add(_ items: String...) throws {
            for (index, items) in items.enumerated() {
                try file.execute(
                    """
                    INSERT INTO Box (_revision, id, items) VALUES (1, 'b\(index + 1)', '\(items)')
                    """
                )
            }
        }

        private func reports() async throws -> [String] {
            try await OldRelationTests.reports {
                try await file.withStore { store in
                    _ = try await store.list(Box.self).value
                    _ = try await store.list(Tag.self).value
                }
            }
            .map(\.message)
        }

        private func report(_ found: String) -> [String] {
            [
                "what was kept of Box.items with the owners is not read any more, but has \(found): "
                    + "the migration .moveChildren(of: \\Box.items) makes records of them"
            ]
        }

        private func items() throws -> [String] {
            try file.column(
                "SELECT id || ' ' || name || ' ' || coalesce(box, '-') FROM Item ORDER BY _order"
            )
        }

        @Test func `an owner may have fields of any names`() async throws {
            try file.execute(
                """
                INSERT INTO Odd (_revision, id, type, field, owner, identifier, child, items) VALUES \
                (1, 'o', 't', 'f', 'o', 'i', 'c', '[{"name": "A"}, {"id": 7, "name": "B"}]')
                """
            )
            let migrations: [SQLiteMigration] = [.moveChildren(of: \Odd.items)]
            for (isMoved, count) in [(false, 1), (true, 0)] {
                if isMoved { try await file.migrate(migrations) }
                let found = try await OldRelationTests.reports {
                    try await file.withStore(isMoved ? migrations : []) { store in
                        _ = try await store.list(Odd.self).value
                    }
                }
                expect(found.count, equals: count)
            }
            try expect(
                file.column("SELECT id || name || odd FROM OddItem ORDER BY id"),
                equals: ["7Bo", "8Ao"]
            )
        }

        @Test func `models without an identifier are distinguished by their number`() async throws {
            let many = Array(
                repeating: #"{"name": "milk", "weight": 1, "isOld": true}"#,
                count: 2_001
            )
            try add("[\(many.joined(separator: ","))]")
            try file.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
                INSERT INTO Item (_revision, id, name, weight, isOld, box) \
                SELECT 1, i, 'milk', 1.0, 1, 'b1' FROM n
                """
            )
            let start = ContinuousClock.now
            try await expect(reports(), equals: report("1 model without a record"))
            // It took hours where each was compared with each.
            expect(ContinuousClock.now - start < .seconds(20))
            try await file.migrate([.moveChildren(of: \Box.items)])
            try expect(items().count, equals: 2_001)
            try expect(items().last, equals: "2001 milk b1")
        }

        @Test func `what is not like a row is no row's, and what the column names is its own`()
            async throws
        {
            try add(
                #"[{"name": "A", "weight": 2}, {"name": "A"}, {"id": 3, "name": "C"}, {"name": "C"}]"#
            )
            try file.execute(
                """
                INSERT INTO Item (_revision, id, name, weight, isOld, box) \
                VALUES (1, 1, 'A', 2.0, 0, 'b1'), (1, 2, CAST(x'41ff' AS TEXT), 2.0, 0, 'b1'), \
                (1, 3, 'C', NULL, NULL, 'b1'), (1, 4, 'A', 2.0, 1, 'b2')
                """
            )
            try await expect(reports(), equals: report("2 models without a record"))
        }

        @Test(arguments: [
            (#"{"id": 7, "name": "A", "weight": "heavy"}"#, "Item 7"),
            (#"{"name": "A", "isOld": "yes"}"#, "Item without an identifier"),
        ])
        func `what no column takes is reported, and not moved`(_ item: String, _ name: String)
            async throws
        {
            try add("[]", "[{\"name\": \"B\"}, \(item)]")
            try file.execute(
                """
                INSERT INTO Item (_revision, id, name, weight, isOld, box) \
                VALUES (1, 1, 'A', 2.0, 0, 'b2')
                """
            )
            try await expect(reports(), equals: report("2 models without a record"))
            let column = item.contains("heavy") ? ("weight", "REAL") : ("isOld", "INTEGER")
            await #expect(
                throws: StoreError.schema(
                    "the migration \"moveChildren(of: Box.items)\" failed: \(name) in the column "
                        + "items of Box b2 cannot be stored: the column Item.\(column.0) has the "
                        + "type \(column.1), but a value is a string"
                )
            ) {
                try await file.migrate([.moveChildren(of: \Box.items)])
            }
            try expect(items(), equals: ["1 A b2"])
        }

        @Test func `what cannot be read is reported, and not moved`() async throws {
            let deep = String(repeating: "[", count: 1_500) + String(repeating: "]", count: 1_500)
            try add("[{\"id\": 7, \"name\": \(deep)}, {\"name\": \(deep)}]")
            try file.execute("INSERT INTO Item (_revision, id, name, box) VALUES (1, 1, 'A', 'b1')")
            try await expect(reports(), equals: report("2 models without a record"))
            let error = await #expect(throws: StoreError.self) {
                try await file.migrate([.moveChildren(of: \Box.items)])
            }
            guard case .schema(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            let prefix = "the migration \"moveChildren(of: Box.items)\" failed: "
            expect(
                reason.hasPrefix(
                    "\(prefix)Item 7 in the column items of Box b1 cannot be stored: "
                ),
                "\(reason)"
            )
        }

        @Test func `columns of the store itself are not written from dictionaries`() async throws {
            try add(#"[{"name": "A", "_order": 1, "_revision": 9}]"#)
            try file.execute("INSERT INTO Item (_revision, id, name, box) VALUES (1, 1, 'B', 'b1')")
            try await expect(reports(), equals: report("1 model without a record"))
            try await file.migrate([.moveChildren(of: \Box.items)])
            try expect(items(), equals: ["1 B b1", "2 A b1"])
            try expect(
                file.column("SELECT _order || ' ' || _revision FROM Item ORDER BY 1"),
                equals: ["1 1", "2 1"]
            )
        }

        @Test(arguments: [false, true])
        func `a file that is full, or that somebody else writes to, is read all the same`(
            _ isFull: Bool
        ) async throws {
            try add(#"[{"name": "A"}]"#)
            let store = try SQLiteModelStore(path: file.path, busyTimeout: .milliseconds(20))
            let other = try SQLiteConnection(path: file.path)
            if isFull {
                let records = try #require(store.records as? SQLiteRecordStore)
                let queue = try #require(records.pool.writer)
                // It cannot be less than there are.
                try await queue.run { try $0.execute("PRAGMA max_page_count = 1") }
            } else {
                try other.execute("BEGIN IMMEDIATE")
            }
            let found = try await OldRelationTests.reports {
                let boxes = try await store.list(Box.self).value
                expect(boxes.map(\.id.value), equals: ["b1"])
            }
            expect(found.map(\.message), equals: report("1 model without a record"))
            other.close()
            try await store.close().value
            try await expect(reports(), equals: report("1 model without a record"))
            try expect(file.column("SELECT count(*) FROM _modelkit_children"), equals: ["3"])
        }

        @Test(arguments: [false, true])
        func `a row with several owners gets all of them`(_ membersFirst: Bool) async throws {
            try file.execute(
                """
                INSERT INTO Post (_revision, id, title) VALUES (1, 5, 'five'), (1, 6, 'six');
                INSERT INTO Tag (_revision, id, posts) VALUES (1, 'A', '[5]'), (1, 'B', '[6,5]'), \
                (1, 'C', '[{"id": 9, "title": "nine"}]'), (1, 'D', '[{"id": 9}, {"id": 5}]')
                """
            )
            if membersFirst {
                let found = try await OldRelationTests.reports {
                    try await file.withStore { store in
                        _ = try await store.list(Post.self).value
                        _ = try await store.list(Tag.self).value
                    }
                }
                expect(found.count, equals: 1)
                expect(
                    found[0].message.contains(
                        "has 1 model without a record and the owners of 2 records without a key: "
                    )
                )
            }
            try await file.migrate([.moveChildren(of: \Tag.posts)])
            try expect(
                file.column("SELECT id || title || tags FROM Post ORDER BY id"),
                equals: [#"5five["A","B"]"#, #"6six["B"]"#, #"9nine["C","D"]"#]
            )
        }
    }
}
