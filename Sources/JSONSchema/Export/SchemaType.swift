/// A type of JSON.
enum SchemaType: String, Sendable {
    case null, boolean, integer, number, string, array, object

    func has(_ value: AttributeValue) -> Bool {
        switch (self, value) {
        case (.null, .null), (.boolean, .bool), (.integer, .int), (.number, .int),
            (.number, .double), (.array, .array), (.object, .dictionary):
            true
        case (.integer, .double(let number)): number.isFinite && number == number.rounded()
        case (.string, .string), (.string, .date), (.string, .data): true
        default: false
        }
    }

    /// As error messages call it.
    var phrase: String {
        switch self {
        case .null: "null"
        case .boolean, .number, .string: "a \(rawValue)"
        case .integer, .array: "an \(rawValue)"
        case .object: "a dictionary"
        }
    }
}
