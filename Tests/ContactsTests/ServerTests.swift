import Foundation
import ModelKit
import ModelKitPostgreSQL
import PostgreSQLSupport
import TestSupport
import Testing

@testable import contacts

@Suite struct ServerNameTests {
    @Test(arguments: [
        ("postgres://db/people", true), ("postgresql:///people", true),
        ("dbname=people", true), ("host=/s user=u dbname = people", true), ("service=a", true),
        ("contacts.db", false), ("postgres.db", false), ("./a=b.db", false), ("/x/a=b.db", false),
        ("a-b=c.db", false),
    ])
    func `a database is on a server by its name`(name: String, isOnServer: Bool) throws {
        let invocation = try Invocation(arguments: ["list", "--db", name])
        expect(invocation.isOnServer, equals: isOnServer)
        expect(invocation.place, equals: isOnServer ? "PostgreSQL" : name)
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct ServerTests {
    private let contacts = Program(name: "contacts")
    private let sample = package.appendingPathComponent("Sources/Contacts/Sample")

    @Test func `a database on a server does what a file does`() throws {
        let folder = try TemporaryFolder()
        let server = try PostgreSQLServer.shared.database()
        for file in ["people.json", "offices.json"] {
            let path = sample.appendingPathComponent(file).path
            let stored = try contacts.run(["import", path, "--db", server])
            expect(stored.errors, equals: "")
            expect(stored.output.hasSuffix(" stored in PostgreSQL\n"), "\(stored.output)")
            try expect(contacts.run(["import", path], in: folder.url).status, equals: 0)
        }
        let identifier = "C000127"
        for arguments in [
            ["list"], ["list", "--state", "OH", "--limit", "1"], ["show", identifier],
            ["edit", identifier, "nickname=Mary", "suffix="], ["edit", identifier, "first="],
            ["show", identifier], ["delete", identifier + "-everett"], ["delete", identifier],
            ["show", identifier], ["export"], ["export", "--offices"],
        ] {
            let here = try contacts.run(arguments, in: folder.url)
            let mode = arguments.count > 1 ? "direct" : "portable"
            let there = try contacts.run(arguments + ["--db", server, "--mode", mode])
            let command = arguments.joined(separator: " ")
            expect(there.output, equals: here.output, "\(command)")
            expect(there.errors, equals: here.errors, "\(command)")
            expect(there.status, equals: here.status, "\(command)")
        }
        let again = try contacts.run([
            "import", sample.appendingPathComponent("people.json").path, "--db", server,
        ])
        expect(again.status, equals: 1)
        expect(again.lines.first, equals: "1 people stored in PostgreSQL")
    }

    @Test(.timeLimit(.minutes(10)))
    func `what another process writes and deletes is seen by live queries`() async throws {
        let server = try PostgreSQLServer.shared.database()
        let store = try PostgreSQLModelStore(server)
        let list = store.observe(Person.self).makeAsyncIterator()
        let counts = store.observe(count: Person.self).makeAsyncIterator()
        try await expect(list.next()?.models.count, equals: 0)
        try await expect(counts.next(), equals: 0)
        let file = sample.appendingPathComponent("people.json").path
        try expect(contacts.run(["import", file, "--db", server]).status, equals: 0)
        let count = try await list.next()?.models.count ?? 0
        expect(count > 1)
        try await expect(counts.next(), equals: count)
        let identifier = "C000127"
        let edit = ["edit", identifier, "nickname=Mary", "suffix=", "--db", server]
        try expect(contacts.run(edit).status, equals: 0)
        let edited = try await list.next()
        expect(edited?.updated.map(\.nickname.value), equals: ["Mary"])
        try expect(contacts.run(["delete", identifier, "--db", server]).status, equals: 0)
        try await expect(list.next()?.models.count, equals: count - 1)
        try await expect(counts.next(), equals: count - 1)
        try await store.close()
    }

    @Test func `a file is moved to a server as it is`() throws {
        let folder = try TemporaryFolder()
        let server = try PostgreSQLServer.shared.database()
        for file in ["people.json", "offices.json"] {
            let path = sample.appendingPathComponent(file).path
            try expect(contacts.run(["import", path], in: folder.url).status, equals: 0)
        }
        let move = ["move", "--from", "contacts.db", "--to", server]
        for (isNew, mode) in [(true, "direct"), (false, "pooled")] {
            let moved = try contacts.run(move + ["--mode", mode], in: folder.url)
            expect(moved.errors, equals: "")
            expect(moved.lines.count, equals: 2)
            for line in moved.lines {
                expect(line.hasSuffix(" of them new, in PostgreSQL"), line)
                expect(line.contains(", 0 of them new") != isNew, line)
            }
        }
        for arguments in [["export"], ["export", "--offices"]] {
            let here = try contacts.run(arguments, in: folder.url)
            let there = try contacts.run(arguments + ["--db", server])
            expect(there.output, equals: here.output)
        }
        _ = try contacts.run(["edit", "C000127", "nickname=Mary", "--db", server])
        let again = try contacts.run(move, in: folder.url)
        expect(again.status, equals: 2)
        expect(again.errors.contains("C000127"), "\(again.errors)")
        for arguments in [
            ["move"], ["move", "--from", "a"], ["move", "x", "--from", "a", "--to", server],
            ["move", "--from", "a", "--to", "b"],
            ["move", "--db", "a", "--from", "a", "--to", server],
        ] {
            try expect(contacts.run(arguments).status, equals: 2)
        }
    }

    @Test func `what a server refuses is one line without the password`() throws {
        let folder = try PostgreSQLServer.shared.folder
        for user in ["nobody", "postgres"] {
            let url = "postgres://\(user):secret7@/none?host=\(folder)"
            let result = try contacts.run(["list", "--db", url])
            expect(result.status, equals: 2)
            expect(result.errors.hasPrefix("contacts: PostgreSQL ("), "\(result.errors)")
            expect(result.errors.filter { $0 == "\n" }.count, equals: 1)
            expect(!result.errors.contains("secret7"), "\(result.errors)")
        }
    }
}
