import ModelKitFields

extension AttributeValue {
    /// Whether a store gives both as the same value: texts and numbers differ by their bytes,
    /// dates by their microseconds.
    package func isSame(as other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.string(var left), .string(var right)):
            left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.date(let left), .date(let right)):
            Timestamp.microseconds(of: left) == Timestamp.microseconds(of: right)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in
                    right.index(forKey: key).map { index in
                        key.utf8.elementsEqual(right[index].key.utf8)
                            && value.isSame(as: right[index].value)
                    } ?? false
                }
        default: self == other
        }
    }

    /// Whether both are the same, or neither is there.
    static func areSame(_ left: AttributeValue?, _ right: AttributeValue?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isSame(as: right)
    }
}
