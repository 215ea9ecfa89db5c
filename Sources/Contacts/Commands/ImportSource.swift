import Foundation
import ModelKit

/// The records of a JSON file, and what they are.
struct ImportSource {
    enum Kind {
        case people, offices
    }

    let kind: Kind
    let records: [AttributeValue]

    init(file: String) throws(Failure) {
        let data: Data
        do {
            data =
                file == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            let reason =
                FileManager.default.fileExists(atPath: file) ? "cannot be read" : "does not exist"
            throw .unreadable("\(file) \(reason)")
        }
        let value: AttributeValue
        do throws(ImportError) {
            value = try AttributeValue(json: data)
        } catch {
            throw .unreadable("\(file) \(error)")
        }
        guard case .array(let records) = value, let kind = Self.kind(of: records) else {
            throw .unreadable("\(file) is not a JSON array of people or of offices")
        }
        self.records = records
        self.kind = kind
    }

    /// What the records are, by the first that shows it; an empty list is one of people.
    private static func kind(of records: [AttributeValue]) -> Kind? {
        if records.isEmpty { return .people }
        for case .dictionary(let record) in records {
            if case .array? = record["offices"] { return .offices }
            if case .array? = record["terms"] { return .people }
            if case .dictionary? = record["id"], case .dictionary? = record["name"] {
                return .people
            }
        }
        return nil
    }
}

extension AttributeValue {
    /// The value with nil in the place of empty texts, which say as much.
    var withoutEmptyTexts: AttributeValue {
        switch self {
        case .string(""): .null
        case .array(let values): .array(values.map(\.withoutEmptyTexts))
        case .dictionary(let values): .dictionary(values.mapValues(\.withoutEmptyTexts))
        default: self
        }
    }
}
