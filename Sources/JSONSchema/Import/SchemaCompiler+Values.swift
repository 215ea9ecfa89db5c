import ModelKitValues

// What keywords have as their values; of one that has something else it is noted, and nil is given.

extension SchemaCompiler {
    /// The number of a keyword.
    mutating func number(_ keyword: String, _ reader: inout SchemaReader) -> AttributeValue? {
        switch reader.members[keyword] {
        case nil: return nil
        case .int(let number)?: return .int(number)
        case .double(let number)? where number.isFinite: return .double(number)
        default:
            refuse("schema", "must be a number", at: reader.place(keyword))
            return nil
        }
    }

    /// The count of a keyword, which may be written as 2.0.
    mutating func count(_ keyword: String, _ reader: inout SchemaReader) -> Int? {
        switch reader.members[keyword] {
        case nil: return nil
        case .int(let count)? where count >= 0: return Int(clamping: count)
        case .double(let count)? where count >= 0 && count == count.rounded() && count.isFinite:
            return Int(exactly: count) ?? .max
        default:
            refuse("schema", "must be a whole number from 0", at: reader.place(keyword))
            return nil
        }
    }

    mutating func text(_ keyword: String, _ reader: inout SchemaReader) -> String? {
        member(keyword, "must be a string", &reader) {
            if case .string(let text) = $0 { text } else { nil }
        }
    }

    mutating func list(of keyword: String, _ reader: inout SchemaReader) -> [AttributeValue]? {
        member(keyword, "must be an array", &reader) {
            if case .array(let values) = $0 { values } else { nil }
        }
    }

    mutating func object(_ keyword: String, _ reader: inout SchemaReader) -> AttributeDictionary? {
        member(keyword, "must be an object", &reader) {
            if case .dictionary(let members) = $0 { members } else { nil }
        }
    }

    private mutating func member<Value>(
        _ keyword: String,
        _ refusal: String,
        _ reader: inout SchemaReader,
        _ read: (AttributeValue) -> Value?
    ) -> Value? {
        guard let value = reader.members[keyword] else { return nil }
        if let value = read(value) { return value }
        refuse("schema", refusal, at: reader.place(keyword))
        return nil
    }

    /// A list of names.
    mutating func names(_ value: AttributeValue, _ place: FieldPath) -> [String] {
        if case .array(let values) = value {
            let names = values.compactMap { if case .string(let name) = $0 { name } else { nil } }
            if names.count == values.count { return names }
        }
        refuse("schema", "must be an array of strings", at: place)
        return []
    }

    mutating func pattern(_ source: String, at place: FieldPath) -> Pattern? {
        do throws(PatternError) {
            return try Pattern(source)
        } catch {
            refuse("pattern", "is refused: \(error)", at: place)
            return nil
        }
    }

    /// The schema of a keyword.
    mutating func child(
        _ keyword: String,
        _ reader: inout SchemaReader,
        isBeside: Bool = false
    ) -> Int? {
        guard let value = reader.members[keyword] else { return nil }
        return add(value, reader.place(keyword), reader, isBeside)
    }

    /// The schemas of a keyword, of which there has to be one.
    mutating func schemas(
        _ keyword: String,
        _ reader: inout SchemaReader,
        isBeside: Bool = true
    ) -> [Int]? {
        guard let values = list(of: keyword, &reader) else { return nil }
        if values.isEmpty { refuse("schema", "must not be empty", at: reader.place(keyword)) }
        return values.enumerated().map { index, value in
            add(value, reader.place(keyword).appending(index: index), reader, isBeside)
        }
    }

    /// The schemas of a keyword by their names, sorted.
    mutating func children(
        _ keyword: String,
        _ reader: inout SchemaReader,
        isBeside: Bool
    ) -> [(name: String, schema: Int)] {
        guard let members = object(keyword, &reader) else { return [] }
        return members.sorted { $0.key < $1.key }.map { name, value in
            (name, add(value, reader.place(keyword).appending(key: name), reader, isBeside))
        }
    }

    private mutating func add(
        _ value: AttributeValue,
        _ path: FieldPath,
        _ reader: SchemaReader,
        _ isBeside: Bool
    ) -> Int {
        isBeside
            ? schema(value, at: path, besideOf: reader.number) : schema(value, at: path)
    }
}
