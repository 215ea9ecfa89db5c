import ModelKitStores

// With the members of the promises, in a module below.
private func use(_ store: MemoryModelStore) -> Promise<Void> {
    let query = RecordQuery(filter: .compare("age", .greater, 1), limit: 10)
    print(query)
    return store.perform([]).timeout(.seconds(1)).map {}
}
