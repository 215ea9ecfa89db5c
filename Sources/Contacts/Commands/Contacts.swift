import Foundation
import ModelKit
import ModelKitJSONSchema
import ModelKitPostgreSQL
import ModelKitSQL

/// The example program: people and offices from JSON files in a database.
@main
struct Contacts {
    static func main() async {
        // A reader that has gone away is met where it is written to.
        signal(SIGPIPE, SIG_IGN)
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs a command and gives the exit status.
    static func run(_ arguments: [String]) async -> Int32 {
        do {
            let invocation = try Invocation(arguments: arguments)
            return try await run(invocation)
        } catch Failure.usage(let message) {
            Console.error("\(message); see contacts --help")
        } catch Failure.unreadable(let message) {
            Console.error(message)
        } catch Failure.refused(let messages) {
            for message in messages { Console.error(message) }
            return 1
        } catch {
            Console.error("\(error)")
        }
        return 2
    }

    private static func run(_ invocation: Invocation) async throws -> Int32 {
        var source: ImportSource?
        switch invocation.command {
        case .help:
            try Console.write(Data((Invocation.usage + "\n").utf8))
            return 0
        case .version:
            try Console.print("contacts \(Invocation.version)")
            return 0
        case .schema(let offices):
            try printSchema(offices ? JSONSchema(Office.self) : JSONSchema(Person.self))
            return 0
        case .importing(let file):
            // The beginning of the file first: what is no list of people or offices leaves no empty database behind.
            source = try ImportSource(file: file)
        case .sync: break
        case _ where invocation.isOnServer: break
        default:
            guard FileManager.default.fileExists(atPath: invocation.database) else {
                throw Failure.unreadable(
                    "there is no \(invocation.database); contacts import FILE makes it"
                )
            }
        }
        let (store, close) = try open(invocation)
        let status: Int32
        do {
            status = try await run(invocation, source, on: store)
        } catch {
            _ = try? await close().value
            throw error
        }
        try await close().value
        return status
    }

    /// The store of the database, and what closes it.
    private static func open(
        _ invocation: Invocation
    ) throws -> (any RecordModelStore, close: () -> Promise<Void>) {
        if invocation.isOnServer {
            let options = PostgreSQLOptions(connections: 2, mode: invocation.mode)
            let store = try PostgreSQLModelStore(invocation.database, options)
            return (store, { store.close() })
        }
        // Two commands at once wait for each other.
        let store = try SQLiteModelStore(path: invocation.database, sharing: .severalProcesses)
        return (store, { store.close() })
    }

    private static func run(
        _ invocation: Invocation,
        _ source: ImportSource?,
        on store: any RecordModelStore
    ) async throws -> Int32 {
        if let source {
            return try await ImportCommand(source: source, store: store).run(invocation.place)
        }
        switch invocation.command {
        case .list(let state, let limit): try await list(store, state: state, limit: limit)
        case .show(let identifier): try await show(store, identifier)
        case .edit(let identifier, let changes):
            try await EditCommand(store: store).run(identifier, changes)
        case .export(let offices): try await export(store, offices: offices)
        case .delete(let identifier): try await delete(store, identifier)
        case .sync(let server, let winner):
            let remote = ContactsServer(server)
            return try await SyncCommand(store, with: remote, at: remote.origin, winner: winner)
                .run()
        case .move(let target):
            var other = invocation
            other.database = target
            try await move(store, other)
        case .help, .version, .importing, .schema: break
        }
        return 0
    }

    /// Puts everything into another database as it is.
    private static func move(
        _ store: any RecordModelStore,
        _ other: Invocation
    ) async throws {
        let (target, close) = try open(other)
        let result: Result<[MovedRecords], any Error>
        do {
            result = .success(try await store.move([Person.self, Office.self], to: target))
        } catch {
            result = .failure(error)
        }
        _ = try? await close().value
        for moved in try result.get() { try Console.print("\(moved), in \(other.place)") }
    }
}
