import ModelKitEssentials

/// A value as JSON Schema compares it: numbers by what they stand for, texts by their scalars.
struct JSONEquality: Hashable {
    let value: AttributeValue

    init(_ value: AttributeValue) {
        self.value = value
    }

    static func == (lhs: JSONEquality, rhs: JSONEquality) -> Bool {
        switch (lhs.value, rhs.value) {
        case (.int, .int), (.int, .double), (.double, .int), (.double, .double):
            return lhs.value.order(to: rhs.value) == 0
        case (.array(let one), .array(let other)):
            return one.count == other.count
                && zip(one, other).allSatisfy { JSONEquality($0) == JSONEquality($1) }
        case (.dictionary(let one), .dictionary(let other)):
            return one.count == other.count
                && one.allSatisfy { name, value in
                    other.member(name).map { JSONEquality(value) == JSONEquality($0) } ?? false
                }
        default:
            if let one = lhs.value.jsonText, let other = rhs.value.jsonText {
                return one.utf8.elementsEqual(other.utf8)
            }
            return lhs.value == rhs.value
        }
    }

    func hash(into hasher: inout Hasher) {
        switch value {
        case .int(let number): hasher.combine(Double(number))
        case .double(let number): hasher.combine(number)
        case .array(let elements):
            for element in elements { JSONEquality(element).hash(into: &hasher) }
        case .dictionary(let members):
            // In whatever order.
            let hashes = members.map { name, value in
                var hasher = Hasher()
                hasher.combine(name)
                JSONEquality(value).hash(into: &hasher)
                return hasher.finalize()
            }
            hasher.combine(hashes.reduce(0, ^))
        default: hasher.combine(value.jsonText)
        }
    }
}

extension AttributeValue {
    /// What JSON has of a value that is a text there.
    var jsonText: String? {
        switch self {
        case .string(let text): text
        case .date(let date): Timestamp.text(of: date)
        case .data(let data): data.base64EncodedString()
        default: nil
        }
    }
}

extension AttributeDictionary {
    /// The value of the key that has just these scalars.
    func member(_ name: String) -> AttributeValue? {
        guard let index = index(forKey: name), self[index].key.utf8.elementsEqual(name.utf8) else {
            return nil
        }
        return self[index].value
    }
}
