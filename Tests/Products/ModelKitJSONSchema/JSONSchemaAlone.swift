import ModelKitJSONSchema

private func use(_ schema: JSONSchema) throws -> Int {
    try schema.jsonData(isPretty: false).count + schema.notRepresented.count
}
