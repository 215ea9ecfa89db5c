import ModelKitEssentials

extension AttributeValue {
    /// Whether two values are of the same case and equal; an integer equals no double.
    ///
    /// Written by hand, as the compiler's own needs so much of the stack for each level that values of the depth
    /// which JSON may have do not fit on that of a thread.
    public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)): areEqual(left, right)
        case (.dictionary(let left), .dictionary(let right)): areEqual(left, right)
        default: areEqualScalars(left, right)
        }
    }

    // What is compared with its elements' own `==` here is one level alone. That of the standard library is at
    // once done with two that have the same storage.

    @inline(never)
    private static func areEqual<Values: Collection & Equatable>(
        _ left: Values,
        _ right: Values
    ) -> Bool {
        var areEqual = left.count == right.count
        if areEqual, !left.isEmpty { StackRoom.run { areEqual = left == right } }
        return areEqual
    }

    @inline(never)
    private static func areEqualScalars(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        default: false
        }
    }

    /// Hashes the case and what it has; equal values have the same hash.
    ///
    /// Written by hand for the same reason as `==`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .array(let values): Self.hash(values, tagged: 7, into: &hasher)
        case .dictionary(let values): Self.hash(values, tagged: 8, into: &hasher)
        default: hashScalar(into: &hasher)
        }
    }

    @inline(never)
    private static func hash(_ values: some Hashable, tagged tag: UInt8, into hasher: inout Hasher)
    {
        hasher.combine(tag)
        StackRoom.run { hasher.combine(values) }
    }

    @inline(never)
    private func hashScalar(into hasher: inout Hasher) {
        func combine(_ tag: UInt8, _ value: some Hashable) {
            hasher.combine(tag)
            hasher.combine(value)
        }
        switch self {
        case .null, .array, .dictionary: hasher.combine(0 as UInt8)
        case .bool(let value): combine(1, value)
        case .int(let value): combine(2, value)
        case .double(let value): combine(3, value)
        case .string(let value): combine(4, value)
        case .data(let value): combine(5, value)
        case .date(let value): combine(6, value)
        }
    }
}
