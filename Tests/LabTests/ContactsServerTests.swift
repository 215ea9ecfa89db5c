import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What `contacts-server` has of an office, as far as its rules need it.
final class Office: Model {
    let id = Field<String>()
    let person = Field<String>()
    let city = Field<String>()

    init() {}

    convenience init(_ id: String, city: String) {
        self.init()
        self.id.value = id
        person.value = "X1"
        self.city.value = city
    }
}

/// A server of our own behind nginx.
final class ContactsStore: RemoteModelStore {
    let origin = Lab.contacts
    let session = StoreSession()
    let limits = HTTPLimits(deadline: nil)
}

/// The server half over sockets, with Hummingbird, SQLite and nginx before it.
@Suite(.enabled(if: Lab.isOpen)) struct ContactsServerTests {
    private let run = Run()

    @Test(arguments: ["..", "a/b", "é", "a?b#c", ".", "a b+c%2F&d=e", "%2E%2E", "batch"])
    func `an identifier reaches the server as one segment`(text: String) async throws {
        let store = ContactsStore(), other = ContactsStore()
        for name in [text, "\(text) \(run.name)"] {
            // Another run may have made it.
            _ = await store.create(Office(name, city: "Rome")).storeError
            let office = try await other.lookup(Office.self, identifier: name).value
            expect(office.id.value, equals: name)
            office.city.value = run.name
            _ = try await other.update(office).value
            let again = try await ContactsStore().lookup(Office.self, identifier: name).value
            expect(again.city.value, equals: run.name)
            _ = try await other.delete(office).value
            guard case .notFound? = await store.lookup(Office.self, identifier: name).storeError
            else {
                Issue.record("\(name) is still there")
                return
            }
        }
    }

    @Test func `an empty identifier is refused`() async {
        await expect(ContactsStore().lookup(Office.self, identifier: "").storeError != nil)
    }

    @Test func `two clients conflict, and lists come in parts`() async throws {
        let one = ContactsStore(), two = ContactsStore()
        let mine = try await one.create(Office("o \(run.name)", city: "Rome")).value
        let theirs = try await two.lookup(Office.self, identifier: "o \(run.name)").value
        theirs.city.value = "Oslo"
        _ = try await two.update(theirs).value
        mine.city.value = "Bern"
        guard case .conflict(let conflict)? = await one.update(mine).storeError else {
            Issue.record("no conflict")
            return
        }
        expect(conflict.theirs.values[["city"]], equals: "Oslo")
        let city = "list \(run.name)"
        let offices = (0..<250).map { Office("\($0) \(run.name)", city: city) }
        _ = try await one.create(offices).value
        let found = try await two.list(Office.self, where: \.city == city).value
        expect(found.map(\.id.value), equals: offices.map(\.id.value))
        let blank = await one.create(Office("b \(run.name)", city: " ")).storeError
        expect(blank?.issues.map(\.path.description), equals: ["city"])
    }
}
