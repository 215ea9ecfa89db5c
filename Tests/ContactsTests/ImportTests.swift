import Foundation
import TestSupport
import Testing

/// What an import of many people takes, and leaves behind when it is interrupted.
@Suite struct ImportTests {
    private let folder: TemporaryFolder
    private let contacts = Program(name: "contacts")

    init() throws { folder = try TemporaryFolder() }

    private static func person(_ number: Int) -> String {
        """
        {"id": {"bioguide": "P\(number * 7_919 % 100_003)"}, "name": {"first": "Ada", "last": "L"},
         "terms": [{"type": "sen", "start": "2001-01-03", "state": "OH", "url": "https://x.gov/\(number)"}]}
        """
    }

    private func people(_ count: Int) throws -> String {
        let file = folder.path("people\(count).json")
        let text = (0..<count).map(Self.person).joined(separator: ",\n")
        try Data("[\(text)]".utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    #if os(Linux)
    @Test
    func `the memory that an import takes does not grow with the file, nor that of an export`()
        throws
    {
        func peaks(_ count: Int) throws -> [Int] {
            let database = folder.path("\(count).db")
            let file = try people(count)
            return [
                try contacts.peakMemory(of: ["import", file, "--db", database]),
                try contacts.peakMemory(of: ["export", "--db", database]),
            ]
        }
        let (few, many) = (try peaks(5_000), try peaks(40_000))
        for (few, many) in zip(few, many) {
            expect(many - few < 20 << 20, "\(few) bytes for 5 000, \(many) for 40 000")
        }
    }
    #endif

    @Test func `an import that is killed leaves nothing`() throws {
        let process = Process()
        let input = Pipe()
        process.executableURL = URL(fileURLWithPath: contacts.path)
        process.arguments = ["import", "-"]
        process.currentDirectoryURL = folder.url
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // More than is read ahead of what is written.
        for number in 0..<6_000 {
            let text = (number == 0 ? "[" : ",") + Self.person(number)
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let listed = try contacts.run(["list"], in: folder.url)
        expect(listed.status, equals: 0)
        expect(listed.output, equals: "")
        try expect(contacts.run(["import", people(10)], in: folder.url).status, equals: 0)
        try expect(contacts.run(["list"], in: folder.url).lines.count, equals: 10)
    }

    @Test
    func `more offices than are written at a time, and those of whom nobody knows, are reported`()
        throws
    {
        let known = try people(70)
        try expect(contacts.run(["import", known], in: folder.url).status, equals: 0)
        let owners = (0..<70).map { "P\((69 - $0) * 7_919 % 100_003)" } + ["NOBODY"]
        let groups = owners.enumerated().map { group, person in
            let offices = (0..<10).map {
                #"{"id": "o\#(group)-\#($0)", "city": "Dayton", "state": "OH"}"#
            }
            return
                #"{"id": {"bioguide": "\#(person)"}, "offices": [\#(offices.joined(separator: ","))]}"#
        }
        try folder.write("[\(groups.joined(separator: ","))]", to: "offices.json")
        let result = try contacts.run(["import", "offices.json"], in: folder.url)
        expect(result.status, equals: 1, "\(result.errors)")
        expect(result.lines.first?.hasPrefix("700 offices stored"), equals: true)
        expect(
            result.lines.dropFirst(),
            equals: [
                "refused [70] id.bioguide NOBODY is no person that is stored", "1 refused",
            ]
        )
        // They come in the order in which they were stored.
        let exported = try contacts.run(["export", "--offices"], in: folder.url)
        let stored = try #require(
            JSONSerialization.jsonObject(with: Data(exported.output.utf8)) as? [[String: Any]]
        )
        let identifiers = stored.flatMap { group in
            let person = (group["id"] as? [String: Any])?["bioguide"] as? String
            let offices = (group["offices"] as? [[String: Any]] ?? []).map { $0["id"] as? String }
            return [person] + offices
        }
        let all = (0..<70).flatMap { group in [owners[group]] + (0..<10).map { "o\(group)-\($0)" } }
        expect(identifiers, equals: all)
    }

    @Test func `of many refusals the first are listed, and all are counted`() throws {
        let records = (0..<1_200).map {
            #"{"id": {"bioguide": "P\#($0)"}, "name": {}, "terms": []}"#
        }
        try folder.write("[\(records.joined(separator: ","))]", to: "people.json")
        let result = try contacts.run(["import", "people.json"], in: folder.url)
        expect(result.status, equals: 1)
        expect(result.lines.count, equals: 1_002)
        expect(result.lines.last, equals: "1200 refused, 200 of which are not listed")
    }

    @Test func `what is no JSON further on is reported by its place, and nothing stored`() throws {
        let text = (0..<2_000).map(Self.person).joined(separator: ",")
        try folder.write("[\(text), nonsense]", to: "people.json")
        let result = try contacts.run(["import", "people.json"], in: folder.url)
        expect(result.status, equals: 2)
        let error = "contacts: people.json is not JSON: expected a value, found 'n' at byte "
        expect(result.errors.contains(error), "\(result.errors)")
        try expect(contacts.run(["list"], in: folder.url).output, equals: "")
    }
}

#if os(Linux)
extension Program {
    /// Runs the program, which is to succeed, and gives how many bytes of memory it had at most.
    ///
    /// Asked while it runs: what the system says of one that has ended counts the memory of its parent, too.
    fileprivate func peakMemory(of arguments: [String]) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        var peak = 0
        while process.isRunning {
            let status = "/proc/\(process.processIdentifier)/status"
            let text = (try? String(contentsOfFile: status, encoding: .utf8)) ?? ""
            // VmHWM:     51200 kB
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            peak = max(peak, line.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
            usleep(2_000)
        }
        expect(process.terminationStatus, equals: 0)
        expect(peak > 0)
        return peak << 10
    }
}
#endif
