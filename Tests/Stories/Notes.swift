import Foundation
import ModelKit

final class Note: Model {
    let id = Field<String>()
    let title = Field<String>().require(.notBlank)
    let text = Field<String>()
}

enum NotesStory {
    static func run(_ phase: String, _ arguments: [String]) async throws {
        guard let place = arguments.first else { throw Usage() }
        let rest = Array(arguments.dropFirst())
        switch phase {
        case "write" where rest.count == 2:
            let note = Note()
            note.id.value = rest[0]
            note.title.value = rest[1]
            _ = try await Server(place).create(note).value
            say("written")
        case "edit" where rest.count == 2:
            try await edit(Server(place), rest[0], rest[1])
        case "many" where rest.count == 2:
            try await many(Server(place), Int(rest[0]) ?? 0, Int(rest[1]) ?? 0)
        case "list":
            for note in try await Server(place).list(Note.self, orderBy: .ascending(\.id))
                .value
            {
                say("\(note.id.value ?? ""): \(note.title.value ?? ""): \(note.text.value ?? "")")
            }
        default: throw Usage()
        }
    }

    /// Adds a line, beneath what others have written meanwhile.
    private static func edit(_ server: Server, _ id: String, _ line: String) async throws {
        let note = try await server.lookup(Note.self, identifier: id).value
        say("read")
        _ = readLine()
        note.text.value = add(line, to: note.text.value)
        while true {
            do {
                _ = try await server.update(note).value
                return say("saved")
            } catch StoreError.conflict(let conflict) {
                say("conflict")
                let theirs = conflict.theirs["text"]
                guard case .string(let text)? = theirs else { throw StoreError.conflict(conflict) }
                _ = try await server.lookup(Note.self, identifier: id).value
                note.text.value = add(line, to: text)
            }
        }
    }

    private static func add(_ line: String, to text: String?) -> String {
        text.map { "\($0)\n\(line)" } ?? line
    }

    private static func many(_ server: Server, _ first: Int, _ count: Int) async throws {
        for number in first..<first + count {
            let note = Note()
            note.id.value = "n\(number)"
            note.title.value = "Note \(number)"
            _ = try await server.create(note).value
            say("n\(number)")
        }
    }
}
