import ModelKit

extension Contacts {
    /// Prints a JSON Schema; what it cannot say goes to standard error, so that a pipe has only JSON.
    static func printSchema(_ schema: JSONSchema) throws {
        try Console.print(String(decoding: schema.jsonData(), as: UTF8.self))
        for issue in schema.notRepresented { Console.error("not in the schema: \(issue)") }
    }
}
