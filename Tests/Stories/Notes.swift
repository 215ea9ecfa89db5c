import Foundation
import ModelKit
import ModelKitREST
import ModelKitSQL

final class Note: Model {
    let id = Field<String>()
    let title = Field<String>().require(.notBlank)
    let text = Field<String>()
}

final class NotesServer: RemoteModelStore {
    let origin: String
    let session = StoreSession()
    // Our own server carries out a request once, however often it comes with one key.
    let transport: any HTTPTransport = RetryingTransport(
        URLSessionTransport(),
        honoursKey: { _ in true }
    )

    init(_ origin: String) { self.origin = origin }
}

enum NotesStory {
    static func run(_ phase: String, _ arguments: [String]) async throws {
        guard let place = arguments.first else { throw Usage() }
        let rest = Array(arguments.dropFirst())
        switch phase {
        case "serve": try await serve(place)
        case "write" where rest.count == 2:
            let note = Note()
            note.id.value = rest[0]
            note.title.value = rest[1]
            _ = try await NotesServer(place).create(note).value
            say("written")
        case "edit" where rest.count == 2:
            try await edit(NotesServer(place), rest[0], rest[1])
        case "many" where rest.count == 2:
            try await many(NotesServer(place), Int(rest[0]) ?? 0, Int(rest[1]) ?? 0)
        case "list":
            for note in try await NotesServer(place).list(Note.self, orderBy: .ascending(\.id))
                .value
            {
                say("\(note.id.value ?? ""): \(note.title.value ?? ""): \(note.text.value ?? "")")
            }
        default: throw Usage()
        }
    }

    private static func serve(_ path: String) async throws {
        let store = try SQLiteModelStore(path: path)
        let handler = try RESTHandler(store, [Note.self])
        let server = try LoopbackServer { request in Promise { await handler.handle(request) } }
        // The server ends with its last use, which would be the next line.
        defer { withExtendedLifetime(server) {} }
        say(server.origin)
        // Until it is killed.
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }

    /// Adds a line, beneath what others have written meanwhile.
    private static func edit(_ server: NotesServer, _ id: String, _ line: String) async throws {
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

    private static func many(_ server: NotesServer, _ first: Int, _ count: Int) async throws {
        for number in first..<first + count {
            let note = Note()
            note.id.value = "n\(number)"
            note.title.value = "Note \(number)"
            _ = try await server.create(note).value
            say("n\(number)")
        }
    }
}
