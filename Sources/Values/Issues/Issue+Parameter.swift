import ModelKitEssentials

extension Issue {
    /// An issue whose message ends with its only parameter.
    @usableFromInline
    package init(_ code: String, _ phrase: String, _ value: AttributeValue, as name: String) {
        self.init(
            standard: code,
            message: "\(phrase) \(value.phrase)",
            parameters: [name: value]
        )
    }
}

extension AttributeValue {
    /// A value as a parameter of an issue or a constraint: its own kind where there is one, the
    /// raw value of an enum, else its description.
    @usableFromInline
    package init(describing value: Any) {
        switch value {
        case let value as AttributeValue: self = value
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger:
            self = Int64(exactly: value).map { .int($0) } ?? .double(Double(value))
        case let value as Double: self = .double(value)
        case let value as any BinaryFloatingPoint:
            // By its decimal form: the Float 0.1 is 0.1, not 0.10000000149011612.
            self = .double(Double("\(value)") ?? Double(value))
        case let value as String: self = .string(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        case let value as any RawRepresentable: self.init(describing: value.rawValue)
        default: self = .string(String(describing: value))
        }
    }

    /// Values as such a parameter.
    @usableFromInline
    static func list<Value>(_ values: [Value]) -> AttributeValue {
        .array(values.map { AttributeValue(describing: $0) })
    }

    /// The value inside a message: text without quotes, whole numbers without a fraction, of a
    /// list the first ten.
    var phrase: String {
        switch self {
        case .string(let value): value
        case .double(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .array(let values):
            values.prefix(10).map(\.phrase).joined(separator: ", ")
                + (values.count > 10 ? ", …" : "")
        default: description
        }
    }
}
