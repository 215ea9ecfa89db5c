// What keywords have as their values; of one that has something else it is noted, and nil is given.

extension SchemaCompiler {
    /// The number of a keyword.
    mutating func number(_ keyword: String) -> AttributeValue? {
        member(keyword, "must be a number") { value in
            if case .double(let number) = value, !number.isFinite { return nil }
            // Two returns, as a `nil` beside the value would be its literal, `.null`.
            guard value.isNumber else { return nil }
            return value
        }
    }

    /// The count of a keyword, which may be written as 2.0.
    mutating func count(_ keyword: String) -> Int? {
        member(keyword, "must be a whole number from 0") { value in
            switch value {
            case .int(let count) where count >= 0: Int(clamping: count)
            case .double(let count) where count >= 0 && count == count.rounded() && count.isFinite:
                Int(exactly: count) ?? .max
            default: nil
            }
        }
    }

    mutating func text(_ keyword: String) -> String? {
        member(keyword, "must be a string") {
            if case .string(let text) = $0 { text } else { nil }
        }
    }

    mutating func list(of keyword: String) -> [AttributeValue]? {
        member(keyword, "must be an array") {
            if case .array(let values) = $0 { values } else { nil }
        }
    }

    mutating func object(_ keyword: String) -> AttributeDictionary? {
        member(keyword, "must be an object") {
            if case .dictionary(let members) = $0 { members } else { nil }
        }
    }

    private mutating func member<Value>(
        _ keyword: String,
        _ refusal: String,
        _ read: (AttributeValue) -> Value?
    ) -> Value? {
        guard let value = members[keyword] else { return nil }
        if let value = read(value) { return value }
        refuse("schema", refusal, at: place(keyword))
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
    mutating func child(_ keyword: String) -> Int? {
        members[keyword].map { add($0, keyword, place(keyword)) }
    }

    /// The schemas of a keyword, of which there has to be one.
    mutating func schemas(_ keyword: String) -> [Int]? {
        guard let values = list(of: keyword) else { return nil }
        let place = place(keyword)
        if values.isEmpty { refuse("schema", "must not be empty", at: place) }
        return values.enumerated().map { index, value in
            add(value, keyword, place.appending(index: index))
        }
    }

    /// The schemas of a keyword by their names, sorted.
    mutating func children(_ keyword: String) -> [(name: String, schema: Int)] {
        guard let members = object(keyword) else { return [] }
        let place = place(keyword)
        return members.sorted { $0.key < $1.key }.map { name, value in
            (name, add(value, keyword, place.appending(key: name)))
        }
    }

    private mutating func add(
        _ value: AttributeValue,
        _ keyword: String,
        _ path: FieldPath
    ) -> Int {
        schema(value, at: path, isOfSameValue: Self.ofSameValue.contains(keyword))
    }

    /// The keywords whose schemas are asked about the value itself, not about a part of it.
    private static let ofSameValue: Set = [
        "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
    ]
}
