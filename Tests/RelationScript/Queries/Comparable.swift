import Foundation
import ModelKitFields
package import ModelKitModels
package import ModelKitStores

extension RecordFilter {
    /// The same with another type in the place of that of the rows.
    package func naming(_ schema: ModelSchema) -> RecordFilter {
        switch self {
        case .has("boss", _, let filter): .has("boss", schema, filter.naming(schema))
        case .not(let filter): .not(filter.naming(schema))
        case .and(let filters): .and(filters.map { $0.naming(schema) })
        case .or(let filters): .or(filters.map { $0.naming(schema) })
        default: self
        }
    }
}

extension Record {
    /// Its dates as microseconds, and doubles with their sign.
    package var comparable: String {
        let values = values.map { "\($0.key): \($0.value.comparable)" }.sorted()
        return "\(identifier) \(revision) \(values)"
    }
}

extension AttributeValue {
    fileprivate var comparable: String {
        switch self {
        case .date(let date): "date \(Timestamp.microseconds(of: date))"
        case .array(let values): "\(values.map(\.comparable))"
        case .dictionary(let values):
            "\(values.map { "\($0.key.debugDescription): \($0.value.comparable)" }.sorted())"
        case .string(let text): "\(Array(text.utf8))"
        case .data(let data): "data \(Array(data))"
        default: "\(self)"
        }
    }
}
