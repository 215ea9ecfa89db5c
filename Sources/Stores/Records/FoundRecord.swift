package import ModelKitModels

/// A record that was found, and the schema of its class.
package struct FoundRecord: Sendable {
    package let schema: ModelSchema
    package let record: Record

    package init(schema: ModelSchema, record: Record) {
        self.schema = schema
        self.record = record
    }
}
