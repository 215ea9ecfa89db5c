import ModelKitSQL

private func use() throws -> SQLiteModelStore { try SQLiteModelStore(path: "people.db") }
