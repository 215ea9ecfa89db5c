import ModelKit
import ModelKitREST
import ModelKitSQL
import ModelKitServer

/// The stories' server, as its clients see it.
final class Server: RemoteModelStore {
    let origin: String
    let session = StoreSession()
    // Our own server carries out a request once, however often it comes with one key.
    let transport: any HTTPTransport = RetryingTransport(
        URLSessionTransport(),
        honoursKey: { _ in true }
    )

    init(_ origin: String) { self.origin = origin }
}

/// A store by its place: the address of a server, a directory of archives, else a database.
enum OpenedStore {
    case server(Server)
    case archive(ArchiveModelStore)
    case database(SQLiteModelStore)

    init(_ place: String) throws {
        if place.hasPrefix("http://") {
            self = .server(Server(place))
        } else if place.hasSuffix(".archive") {
            self = .archive(try ArchiveModelStore(directory: place, group: "story"))
        } else {
            self = .database(try SQLiteModelStore(path: place))
        }
    }

    var store: any RecordModelStore {
        switch self {
        case .server(let server): server
        case .archive(let archive): archive
        case .database(let database): database
        }
    }

    /// Waits until everything is written.
    func close() async throws {
        switch self {
        case .server: break
        case .archive(let archive): try await archive.close().value
        case .database(let database): try await database.close().value
        }
    }

    /// Serves the models of all stories until the process is killed.
    func serve() async throws {
        let handler = try RESTHandler(
            store,
            [Note.self, Account.self, Entry.self, Item.self, Tag.self]
        )
        let server = try LoopbackServer { request in Promise { await handler.handle(request) } }
        // The server ends with its last use, which would be the next line.
        defer { withExtendedLifetime(server) {} }
        say(server.origin)
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}
