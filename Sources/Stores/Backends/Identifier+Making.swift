import ModelKitFields
package import ModelKitModels

extension Identifier {
    /// A new identifier in the form that its field gives it; nil for a number, which the store makes.
    package static func make(for schema: ModelSchema) throws(StoreError) -> Identifier? {
        let entry = try schema.identity()
        if entry.kind == .int { return nil }
        var scope = ImportScope()
        let uuid = Identifier(UUIDv7.make())
        let form = entry.field(in: schema.prototype)
            .form(of: uuid.attributeValue, at: entry.path, in: &scope)
        guard let form, let identifier = try? Identifier(attributeValue: form) else {
            let reason = scope.issues.first.map(\.description) ?? "\(entry.path) gives it no form"
            throw .unsupported("no identifier can be made: \(reason)")
        }
        return identifier
    }
}
