import Foundation
import Hummingbird
import HummingbirdAdapter
import ModelKit
import ModelKitREST
import ModelKitServer
import ModelKitSQL

/// Serves the people and offices of a database, for `contacts sync`.
@main
struct ContactsServer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[2]) else {
            print("usage: contacts-server FILE PORT")
            exit(2)
        }
        let store = try SQLiteModelStore(path: arguments[1])
        let handler = try RESTHandler(store, [Person.self, Office.self])
        let application = Application(
            responder: RESTResponder(handler),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        )
        // Until a signal ends it.
        try await application.runService()
        try await store.close().value
    }
}
