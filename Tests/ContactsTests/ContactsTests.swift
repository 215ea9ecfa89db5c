import Foundation
import TestSupport
import Testing

@Suite struct ContactsTests {
    private let folder: TemporaryFolder
    private let contacts = Program(name: "contacts")
    private let people = package.appendingPathComponent("Sources/Contacts/Sample/people.json").path
    private let offices = package.appendingPathComponent("Sources/Contacts/Sample/offices.json")
        .path

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> Program.Result {
        try contacts.run(arguments, in: folder.url)
    }

    private func file(_ text: String, _ name: String = "people.json") throws -> String {
        try folder.write(text, to: name)
        return name
    }

    private static let person = """
        {"id": {"bioguide": "X1"}, "name": {"first": "Ada", "last": "Lovelace"},
         "bio": {"birthday": "1815-12-10", "gender": "F"},
         "terms": [{"type": "sen", "start": "2001-01-03", "end": "2007-01-03", "state": "OH",
                    "party": "Independent", "phone": "202-224-3441", "url": "https://x.gov"}]}
        """

    @Test func `the sample is stored, listed and shown`() throws {
        let result = try run("import", people)
        expect(result.output, equals: "10 people stored in contacts.db\n")
        expect(result.errors, equals: "", "no progress bar in a pipe")
        expect(result.status, equals: 0)
        try expect(run("import", offices).status, equals: 0)
        try expect(run("list").lines.count, equals: 10)
        try expect(run("list", "--limit", "3").lines.count, equals: 3)
        let ohio = try run("list", "--state", "OH")
        expect(!ohio.lines.isEmpty)
        expect(ohio.lines.allSatisfy { $0.contains("  OH  ") })
        let identifier = try #require(ohio.lines.first?.split(separator: " ").first)
        let shown = try run("show", String(identifier))
        expect(shown.lines.contains("Identifier: \(identifier)"))
        expect(shown.lines.contains { $0.hasPrefix("Birthday: ") })
        expect(shown.lines.contains { $0.hasPrefix("Office: \(identifier)-") })
    }

    @Test func `what is exported can be imported, and is exported the same`() throws {
        try expect(run("import", people).status, equals: 0)
        try expect(run("import", offices).status, equals: 0)
        for option in [[], ["--offices"]] {
            let first = try contacts.run(["export"] + option, in: folder.url)
            expect(first.status, equals: 0)
            let name = "export\(option.count).json"
            try folder.write(first.output, to: name)
            try expect(run("import", name, "--db", "copy.db").status, equals: 0)
            let second = try contacts.run(["export", "--db", "copy.db"] + option, in: folder.url)
            expect(second.output, equals: first.output)
            expect(!first.output.contains("null"))
        }
    }

    @Test func `records that break rules are refused with index, path and message`() throws {
        let file = try file(
            """
            [\(Self.person),
             {"id": {"bioguide": "X2"}, "name": {"first": "", "last": "B"}, "terms": [
               {"type": "sen", "start": "2007-01-03", "end": "2001-01-03", "state": "Ohio",
                "phone": "1", "url": "nowhere"},
               {"type": "king", "start": "2001-02-30"}]},
             {"id": {"bioguide": "X3"}, "name": "C", "terms": []},
             \(Self.person), 7]
            """
        )
        let result = try run("import", file)
        expect(result.status, equals: 1)
        expect(
            result.lines,
            equals: [
                "1 people stored in contacts.db",
                "refused [1] terms[1].type \"king\" is not an allowed value; "
                    + "terms[1].start must be a day like 1958-10-13, not \"2001-02-30\"",
                "refused [2] name must be a dictionary, not a string",
                "refused [3] id.bioguide X1 is stored already",
                "refused [4] must be a dictionary, not an integer",
                "4 refused",
            ]
        )
        try expect(run("list").lines.count, equals: 1)
    }

    @Test func `the broken rules of a record are reported all at once`() throws {
        let file = try file(
            """
            [{"id": {"bioguide": "X2"}, "name": {"first": "", "last": "B"}, "terms": [
               {"type": "sen", "start": "2007-01-03", "end": "2001-01-03", "state": "Ohio",
                "phone": "1", "url": "nowhere"}]}]
            """
        )
        let result = try run("import", file)
        expect(result.status, equals: 1)
        expect(
            result.lines,
            equals: [
                "0 people stored in contacts.db",
                "refused [0] name.first cannot be blank; "
                    + "terms[0].end must not be before the start; "
                    + "terms[0].state must be two capital letters, like OH; "
                    + "terms[0].phone must be a phone number like 202-224-3441; "
                    + "terms[0].url must be a valid URL",
                "1 refused",
            ]
        )
    }

    @Test func `offices need a person, and coordinates on the earth`() throws {
        _ = try run("import", try file("[\(Self.person)]"))
        let offices = try file(
            """
            [{"id": {"bioguide": "X1"}, "offices": [
               {"id": "X1-a", "city": "A", "state": "OH", "zip": "", "latitude": 41.5},
               {"id": "X1-b", "city": "B", "state": "OH", "zip": "123", "latitude": 441.5080197}]},
             {"id": {"bioguide": "NOBODY"}, "offices": []}]
            """,
            "offices.json"
        )
        let result = try run("import", offices)
        expect(result.status, equals: 1)
        expect(
            result.lines,
            equals: [
                "1 offices stored in contacts.db",
                "refused [0] offices[1].zip must be a ZIP code like 44114 or 44114-1234; "
                    + "offices[1].latitude must be between -90 and 90, not 441.5080197",
                "refused [1] id.bioguide NOBODY is no person that is stored",
                "2 refused",
            ]
        )
        let shown = try run("show", "X1-a")
        expect(shown.lines.contains("Person: X1"))
        expect(!shown.output.contains("ZIP"), "an empty text is none")
    }

    @Test func `an edit is stored if the rules allow it, and otherwise not at all`() throws {
        _ = try run("import", try file("[\(Self.person)]"))
        let good = try run("edit", "X1", "first=Augusta", "name.middle=Ada", "birthday=1815-12-11")
        expect(good.output, equals: "X1 is changed\n")
        expect(good.status, equals: 0)
        let shown = try run("show", "X1").lines
        expect(shown.contains("First name: Augusta"))
        expect(shown.contains("Middle name: Ada"))
        expect(shown.contains("Birthday: 1815-12-11"))
        let bad = try run("edit", "X1", "first=", "last=Byron", "birthday=yesterday")
        expect(bad.status, equals: 1)
        expect(bad.output, equals: "")
        expect(
            bad.errors.split(separator: "\n"),
            equals: [
                "contacts: bio.birthday must be a day like 1958-10-13, not \"yesterday\"",
                "contacts: First name cannot be blank",
            ]
        )
        try expect(run("show", "X1").lines, equals: shown, "nothing is stored")
        let cleared = try run("edit", "X1", "middle=")
        expect(cleared.status, equals: 0)
        expect(!(try run("show", "X1").output.contains("Middle name")))
    }

    @Test func `what would control a terminal is written so that it can be read`() throws {
        let person = Self.person
            .replacingOccurrences(
                of: "Ada",
                with: "Ada\\u001b[31m\\u009b2J\\n\\u202eX👩‍🚀"
            )
            .replacingOccurrences(of: "X1", with: "X\\u0007")
        let file = try file("[\(person)]")
        try expect(run("import", file).status, equals: 0)
        let name = #"Ada\u{1B}[31m\u{009B}2J\n\u{202E}X👩‍🚀 Lovelace"#
        let listed = try run("list").output
        expect(listed.contains(name))
        let shown = try run("show", "X\u{7}").output
        expect(shown.contains(#"First name: Ada\u{1B}[31m"#))
        let edited = try run("edit", "X\u{7}", "first=\u{1b}]0;t\u{7}")
        expect(edited.output, equals: "X\\u{07} is changed\n")
        let refused = try run("show", "\u{1b}[2J")
        expect(refused.errors.contains(#"no office \u{1B}[2J"#))
        for text in [listed, shown, edited.output, refused.errors] {
            expect(
                text.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.properties.generalCategory != .control
                }
            )
        }
        let exported = try JSONSerialization.jsonObject(with: Data(run("export").output.utf8))
        let names = try #require(
            (exported as? [[String: Any]])?.first?["name"] as? [String: String]
        )
        expect(names["first"], equals: "\u{1b}]0;t\u{7}")
    }

    @Test func `the input is a file, too, and an option may have its value behind a sign`() throws {
        let imported = try contacts.run(
            ["import", "-", "--db=other.db"],
            in: folder.url,
            input: "[\(Self.person)]"
        )
        expect(imported.output, equals: "1 people stored in other.db\n")
        try expect(run("list", "--db=other.db", "--limit=1").lines.count, equals: 1)
        try expect(run("list", "--db", "other.db", "--state=OH").lines.count, equals: 1)
        try expect(run("--version").output.hasPrefix("contacts "))
        let none = try contacts.run(["import", "-"], in: folder.url)
        expect(none.errors.hasPrefix("contacts: - is not JSON: "))
        try expect(
            run("list", "--offices=1").errors.hasPrefix("contacts: --offices takes no value")
        )
        try expect(
            run("list", "--db=").errors.hasPrefix("contacts: --db needs the name of a file")
        )
    }

    @Test func `a list shows what an edit has changed, beside the official name`() throws {
        _ = try run("import", people)
        let line = try #require(try run("list").lines.first)
        let identifier = String(line.prefix { $0 != " " })
        try expect(run("edit", identifier, "first=Zaphod").status, equals: 0)
        let changed = try #require(try run("list").lines.first { $0.hasPrefix(identifier) })
        expect(changed.contains("  Zaphod "))
        expect(changed.contains(", officially "))
    }

    @Test(arguments: [
        (["import", "missing.json"], "missing.json does not exist"),
        (["import", "."], ". cannot be read"),
        (["import", "text.json"], "text.json is not JSON: "),
        (["import", "object.json"], "object.json is not a JSON array of people or of offices"),
        (["import", "others.json"], "others.json is not a JSON array of people or of offices"),
        (["show", "NOBODY"], "there is no person and no office NOBODY"),
        (["edit", "NOBODY", "first=A"], "there is no person and no office NOBODY"),
        (["edit", "X1", "age=3"], "Person has no key \"age\" to edit; it has first, middle, "),
        (["edit", "X1", "terms=3"], "Person has no key \"terms\" to edit"),
        (["edit", "X1", "first"], "\"first\" is not KEY=VALUE"),
        (["edit", "X1"], "edit takes an ID and at least one KEY=VALUE"),
        (["list", "--limit", "some"], "--limit takes a number, not \"some\""),
        (["list", "--offices"], "list takes no --offices"),
        (
            ["list", "--mode", "pooled"],
            "--mode takes one of direct, pooled, portable, and a server as --db"
        ),
        (["list", "--db", "none.db"], "there is no none.db; contacts import FILE makes it"),
        (["list", "--db", "text.json"], "text.json is not a database or is damaged"),
        (
            ["import", "people.json", "--db", "text.json"],
            "text.json is not a database or is damaged"
        ),
        (["dance"], "there is no command \"dance\""),
        ([], "say what to do"),
    ])
    func `what cannot be done is one clear line and status 2`(
        arguments: [String],
        message: String
    ) throws {
        _ = try run("import", try file("[\(Self.person)]"))
        try folder.write(
            "no json, no database, but long enough to look at" + String(repeating: " ", count: 100),
            to: "text.json"
        )
        try folder.write("{\"id\": 1}", to: "object.json")
        try folder.write("[{\"type\": \"committee\", \"name\": \"Ways\"}]", to: "others.json")
        let before = try run("export").output
        let result = try contacts.run(arguments, in: folder.url)
        expect(result.status, equals: 2)
        expect(result.output, equals: "")
        expect(result.errors.hasPrefix("contacts: \(message)"), "\(result.errors)")
        expect(result.errors.split(separator: "\n").count, equals: 1)
        try expect(run("export").output, equals: before)
        expect(!FileManager.default.fileExists(atPath: folder.path("none.db")))
    }

    @Test func `a locked database is one clear line`() throws {
        _ = try run("import", try file("[\(Self.person)]"))
        let lock = try DatabaseLock(folder.path("contacts.db"))
        let result = try run("edit", "X1", "first=B")
        expect(result.status, equals: 2)
        expect(result.errors.contains("contacts.db was locked for"))
        expect(result.errors.split(separator: "\n").count, equals: 1)
        lock.release()
        try expect(run("show", "X1").output.contains("First name: Ada"))
    }

    #if os(Linux)
    @Test func `output that cannot be written is one clear line and status 2`() throws {
        _ = try run("import", try file("[\(Self.person)]"))
        for command in ["export", "list"] {
            let shell = Program(name: "/bin/sh")
            let result = try shell.run(
                ["-c", "exec \"$0\" \(command) > /dev/full", contacts.path],
                in: folder.url
            )
            expect(result.status, equals: 2)
            expect(result.errors.hasPrefix("contacts: the output cannot be written: "))
            expect(result.errors.split(separator: "\n").count, equals: 1)
        }
    }
    #endif

    @Test func `an office is not given to a person that is not stored`() throws {
        _ = try run("import", people)
        _ = try run("import", offices)
        let before = try run("export", "--offices").output
        let result = try run("edit", "B001261-casper", "person=NOBODY", "city=Reno")
        expect(result.status, equals: 1)
        expect(result.errors, equals: "contacts: person NOBODY is no person that is stored\n")
        try expect(run("export", "--offices").output, equals: before)
        try expect(run("edit", "B001261-casper", "person=C000127").status, equals: 0)
    }

    @Test func `the schema says what a record may be, and to standard error what it cannot say`()
        throws
    {
        let people = try run("schema")
        expect(people.status, equals: 0)
        let schema = try #require(
            JSONSerialization.jsonObject(with: Data(people.output.utf8)) as? [String: Any]
        )
        expect(schema["$schema"] as? String, equals: "https://json-schema.org/draft/2020-12/schema")
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        expect(properties["name"]?["required"] as? [String], equals: ["first", "last"])
        expect(people.errors.contains("contacts: not in the schema: terms"))
        let offices = try run("schema", "--offices")
        let office = try #require(
            JSONSerialization.jsonObject(with: Data(offices.output.utf8)) as? [String: Any]
        )
        let fields = try #require(office["properties"] as? [String: [String: Any]])
        expect(fields["latitude"]?["maximum"] as? Double, equals: 90)
        expect(fields["zip"]?["pattern"] as? String, equals: "^[0-9]{5}(-[0-9]{4})?$")
    }

    @Test func `a person is deleted with all offices`() throws {
        try expect(run("import", people).status, equals: 0)
        try expect(run("import", offices).status, equals: 0)
        let lines = try run("export", "--offices").lines
        let line = try #require(lines.first { $0.contains("\"bioguide\"") })
        let identifier = String(line.split(separator: "\"")[3])
        try expect(run("delete", identifier).output, equals: "\(identifier) is deleted\n")
        try expect(run("list").lines.count, equals: 9)
        try expect(!run("export", "--offices").output.contains(identifier))
        try expect(run("delete", identifier).status, equals: 2)
    }

    @Test func `a server that is not there is reported, and nothing is lost`() throws {
        try expect(run("import", people).status, equals: 0)
        // Nobody listens at the port for discarding.
        let result = try run("sync", "http://127.0.0.1:9")
        expect(result.status, equals: 2)
        expect(result.output, equals: "")
        expect(result.errors.hasPrefix("contacts: "))
        try expect(run("list").lines.count, equals: 10)
        try expect(run("sync").errors.hasPrefix("contacts: sync needs URL"))
    }

    @Test func `help is printed`() throws {
        let result = try run("--help")
        expect(result.status, equals: 0)
        expect(result.output.contains("contacts import FILE"))
        try expect(run("help").output, equals: result.output)
    }
}

@Suite struct ReadmeTests {
    @Test func `the first code of the README is the example, and does what it says`() throws {
        let readme = try String(
            contentsOf: package.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let source = try String(
            contentsOf: package.appendingPathComponent("Tests/ReadmeExample/main.swift"),
            encoding: .utf8
        )
        let blocks = readme.components(separatedBy: "```")
        expect(blocks[1], equals: "swift\n" + source)
        let result = try Program(name: "readme-example").run([])
        expect(result.status, equals: 0)
        expect(result.errors, equals: "")
        expect(result.lines[0], equals: "now called nobody")
        expect(result.lines[1], equals: #"invalid(["Name cannot be blank"])"#)
        expect(result.lines[2], equals: "now called Bob")
        expect(result.lines[3].contains(#""name": "Bob""#))
        expect(result.lines[4], equals: "true")
        expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 120)
    }
}
