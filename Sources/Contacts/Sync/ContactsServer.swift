import ModelKit
import ModelKitREST

/// A server of contacts, such as `contacts-server`.
final class ContactsServer: RemoteModelStore {
    let origin: String
    let session = StoreSession()
    /// A server of our own carries out a request once, however often it comes with one key.
    let transport: any HTTPTransport = RetryingTransport(
        URLSessionTransport(),
        honoursKey: { _ in true }
    )

    init(_ origin: String) {
        self.origin = origin.hasSuffix("/") ? String(origin.dropLast()) : origin
    }
}
