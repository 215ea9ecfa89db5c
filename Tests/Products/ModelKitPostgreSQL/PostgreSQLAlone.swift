import ModelKitPostgreSQL

private func use() throws -> PostgreSQLModelStore {
    try PostgreSQLModelStore("postgres:///people", PostgreSQLOptions(connections: 4))
}
