import ModelKit

/// Removes an office, or a person with all offices.
func delete(_ store: any ModelStore, _ identifier: String) async throws {
    switch try await find(store, identifier) {
    case .person(let person):
        let offices = try await store.list(Office.self, where: \.person == identifier).value
        try await store.perform([.delete(person)] + offices.map { .delete($0) }).value
    case .office(let office): _ = try await store.delete(office).value
    }
    try Console.print("\(identifier) is deleted")
}
