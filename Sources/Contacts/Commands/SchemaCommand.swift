import Foundation
import ModelKit
import ModelKitJSONSchema

extension Contacts {
    /// Prints a JSON Schema; what it cannot say goes to standard error, so that a pipe has only JSON.
    static func printSchema(_ schema: JSONSchema) throws {
        try Console.write(schema.jsonData() + Data("\n".utf8))
        for issue in schema.notRepresented { Console.error("not in the schema: \(issue)") }
    }
}
