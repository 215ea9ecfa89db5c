import Foundation
import ModelKit

// Saves of an archive store, for `.ci/kill` and `.ci/faults`.

final class Entry: Model {
    let id = Field<String>()
    let text = Field<String>()
}

enum Archive {
    /// Saves a list in place of the one that is there.
    static func save(_ name: String, in directory: String) async throws {
        let store = try ArchiveModelStore(directory: directory)
        _ = try await store.saveList(Entry.self, list(name)).value
        say("saved")
    }

    /// Writes the file in place, as no store should.
    static func saveUnsafely(in directory: String) async throws {
        let other = "\(directory)/other"
        let store = try ArchiveModelStore(directory: other)
        _ = try await store.saveList(Entry.self, list("new")).value
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(other)/group-.archive"))
        let file = "\(directory)/group-.archive"
        guard let output = FileHandle(forWritingAtPath: file) else { throw Usage() }
        try output.truncate(atOffset: 0)
        for start in stride(from: 0, to: bytes.count, by: 4096) {
            try output.write(contentsOf: bytes.dropFirst(start).prefix(4096))
        }
        say("saved")
    }

    static func read(_ directory: String) async throws {
        let store = try ArchiveModelStore(directory: directory)
        say(try name(of: await store.list(Entry.self).value))
    }

    /// Saves lists with the numbers after the one that is there, and says each that is saved.
    static func write(_ directory: String) async throws {
        let store = try ArchiveModelStore(directory: directory)
        let found = try await store.list(Entry.self).value
        var number = found.isEmpty ? 0 : Int(try name(of: found)) ?? 0
        while true {
            number += 1
            _ = try await store.saveList(Entry.self, list("\(number)")).value
            say("\(number)")
        }
    }

    /// Says the number of the list that is there, 0 for none.
    static func check(_ directory: String) async throws {
        let store = try ArchiveModelStore(directory: directory)
        let found = try await store.list(Entry.self).value
        say(found.isEmpty ? "0" : try name(of: found))
    }

    /// A list whose entries all have the name of the list, and are too many for one page.
    private static func list(_ name: String) -> [Entry] {
        (0..<200).map { number in
            let entry = Entry()
            entry.id.value = "\(name) \(number)"
            entry.text.value = name + String(repeating: ".", count: 50)
            return entry
        }
    }

    private static func name(of list: [Entry]) throws -> String {
        let first = list.first?.id.value ?? ""
        let name = first.prefix { $0 != " " }
        guard list.count == 200, list.allSatisfy({ $0.id.value?.hasPrefix("\(name) ") ?? false })
        else { throw Damage("the list is of two") }
        return String(name)
    }
}
