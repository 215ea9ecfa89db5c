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
                && holds { zip(one, other).allSatisfy { JSONEquality($0) == JSONEquality($1) } }
        case (.dictionary(let one), .dictionary(let other)):
            return one.count == other.count
                && holds {
                    one.allSatisfy { name, value in
                        other.member(name).map { JSONEquality(value) == JSONEquality($0) } ?? false
                    }
                }
        default:
            if let one = lhs.value.jsonText, let other = rhs.value.jsonText {
                return one.utf8.elementsEqual(other.utf8)
            }
            return lhs.value == rhs.value
        }
    }

    /// Values may be nested deeper than the stack.
    @inline(never)
    private static func holds(_ condition: () -> Bool) -> Bool {
        var result = false
        StackRoom.run { result = condition() }
        return result
    }

    /// Values come from outside: no family of them may share one hash.
    func hash(into hasher: inout Hasher) {
        switch value {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value ? 1 : 2 as UInt8)
        case .int(let number): Self.combine(3, number, &hasher)
        case .double(let number):
            guard let integer = Int64(exactly: number) else {
                return Self.combine(4, number, &hasher)
            }
            Self.combine(3, integer, &hasher)
        case .array(let elements):
            Self.combine(5, elements.count, &hasher)
            StackRoom.run { for element in elements { JSONEquality(element).hash(into: &hasher) } }
        case .dictionary(let members):
            // In whatever order.
            var sum = 0
            StackRoom.run {
                for (name, value) in members {
                    var hasher = Hasher()
                    Self.combine(7, Array(name.utf8), &hasher)
                    JSONEquality(value).hash(into: &hasher)
                    sum &+= hasher.finalize()
                }
            }
            Self.combine(6, sum, &hasher)
        default: Self.combine(7, Array((value.jsonText ?? "").utf8), &hasher)
        }
    }

    private static func combine(_ tag: UInt8, _ value: some Hashable, _ hasher: inout Hasher) {
        hasher.combine(tag)
        hasher.combine(value)
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
