import ModelKit
import ModelKitPostgreSQL
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

/// A store by its place: the address of a server, a database of PostgreSQL, a directory of archives, else a file.
enum OpenedStore {
    case server(Server)
    case archive(ArchiveModelStore)
    case database(SQLiteModelStore)
    case postgreSQL(PostgreSQLModelStore)

    /// - Parameters:
    ///   - place: The place.
    ///   - isShared: Whether another program may have it open meanwhile.
    /// - Throws: `StoreError` for a database that cannot be opened.
    init(_ place: String, isShared: Bool = false) throws {
        if place.hasPrefix("http://") {
            self = .server(Server(place))
        } else if place.hasPrefix("postgres://") {
            self = .postgreSQL(try PostgreSQLModelStore(place))
        } else if place.hasSuffix(".archive") {
            self = .archive(try ArchiveModelStore(directory: place, group: "story"))
        } else {
            let sharing: SQLiteModelStore.Sharing = isShared ? .severalProcesses : .oneStore
            self = .database(try SQLiteModelStore(path: place, sharing: sharing))
        }
    }

    var store: any RecordModelStore {
        switch self {
        case .server(let server): server
        case .archive(let archive): archive
        case .database(let database): database
        case .postgreSQL(let database): database
        }
    }

    /// Waits until everything is written.
    func close() async throws {
        switch self {
        case .server: break
        case .archive(let archive): try await archive.close().value
        case .database(let database): try await database.close().value
        case .postgreSQL(let database): try await database.close().value
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
