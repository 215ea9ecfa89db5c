import ModelKitModels

private func use<M: Model>(_ model: M) throws -> String {
    let copy = try M(json: model.jsonData())
    return "\(M.schema.name) \(copy.identifier ?? 0)"
}
