import ModelKitFields
import ModelKitModels
import ModelKitPromises
import ModelKitStores
import TestSupport
import Testing

/// In async code an identifier in any form has the use wait, and throw.
@Suite struct IdentifierUseTests {
    private final class Ticket: Model {
        let id = Field<Int>()
    }

    @Test func `identifiers may be literals, numbers, and the value itself`() async throws {
        let store = MemoryModelStore()
        let (number, small, whole) = (5 as Int64, 5, Identifier.int(5))
        func create() async throws {
            let ticket = Ticket()
            ticket.id.value = 5
            try await store.create(ticket)
        }
        try await create()
        let found = [
            try await store.lookup(Ticket.self, identifier: 5),
            try await store.lookup(Ticket.self, identifier: number),
            try await store.lookup(Ticket.self, identifier: small),
            try await store.lookup(Ticket.self, identifier: whole),
            try await store.lookup(Ticket.self, identifier: .int(number)),
            try await (store as any ModelStore).lookup(Ticket.self, identifier: .int(5)),
        ]
        expect(found.map(\.id.value), equals: Array(repeating: 5, count: 6))
        try await store.delete(Ticket.self, identifier: .int(number))
        await #expect(throws: StoreError.notFound(type: "Ticket", identifier: 5)) {
            try await store.delete(Ticket.self, identifier: .int(number))
        }
        try await create()
        try await store.delete(Ticket.self, identifier: 5)
        try await create()
        try await store.delete(Ticket.self, identifier: whole)
        let deletion: Promise<Void> = store.delete(Ticket.self, identifier: .int(5))
        await #expect(throws: StoreError.self) { try await deletion.value }
        let lookup: Promise<Ticket> = store.lookup(Ticket.self, identifier: 5)
        await #expect(throws: StoreError.self) { try await lookup.value }
    }
}
