import ModelKitFields

/// What a coder is given, and asked for, where an attribute value stands.
///
/// It is a type, so that a coder does with dates, data and keys what it was set to, and one whose data
/// do not describe themselves is asked for what is there.
protocol CodedForm: Codable, Sendable {
    init(attributeValue: AttributeValue)
    var attributeValue: AttributeValue { get }

    /// Whether there may be numbers in it that an attribute value has as text.
    static var takesWideNumbers: Bool { get }

    /// How a number in it is read; nil where the class of an object has to say.
    static func use(of number: WideNumber) -> WideNumber.Use?
}

extension AttributeValue: CodedForm {
    static var takesWideNumbers: Bool { false }

    static func use(of number: WideNumber) -> WideNumber.Use? { .exact }
}

/// A value of one type; where it is another, it is coded as an attribute value.
struct CodedValue<Native: NativeForm>: CodedForm {
    let attributeValue: AttributeValue

    init(attributeValue: AttributeValue) { self.attributeValue = attributeValue }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            attributeValue = .null
        } else if let value = try? Native.read(container) {
            attributeValue = value
        } else {
            attributeValue = try AttributeValue(from: decoder)
        }
    }

    func encode(to encoder: any Encoder) throws {
        guard let native = Native.native(of: attributeValue) else {
            return try attributeValue.encode(to: encoder)
        }
        var container = encoder.singleValueContainer()
        try container.encode(native)
    }

    static var takesWideNumbers: Bool { Native.takesWideNumbers }

    static func use(of number: WideNumber) -> WideNumber.Use? {
        number.path.isEmpty ? Native.use(of: number.literal) : .exact
    }
}

struct CodedArray<Element: CodedForm>: CodedForm {
    let attributeValue: AttributeValue

    init(attributeValue: AttributeValue) { self.attributeValue = attributeValue }

    init(from decoder: any Decoder) throws {
        guard (try? decoder.unkeyedContainer()) != nil else {
            attributeValue = try AttributeValue(from: decoder)
            return
        }
        attributeValue = .array(try [Element](from: decoder).map(\.attributeValue))
    }

    func encode(to encoder: any Encoder) throws {
        guard case .array(let values) = attributeValue else {
            return try attributeValue.encode(to: encoder)
        }
        try values.map { Element(attributeValue: $0) }.encode(to: encoder)
    }

    static var takesWideNumbers: Bool { Element.takesWideNumbers }

    static func use(of number: WideNumber) -> WideNumber.Use? {
        guard case (.index, let inner)? = number.next else { return .exact }
        return Element.use(of: inner)
    }
}

/// A dictionary, whose keys are no names of properties: coders leave them as they are.
struct CodedDictionary<Member: CodedForm>: CodedForm {
    let attributeValue: AttributeValue

    init(attributeValue: AttributeValue) { self.attributeValue = attributeValue }

    init(from decoder: any Decoder) throws {
        guard (try? decoder.container(keyedBy: CodedKey.self)) != nil else {
            attributeValue = try AttributeValue(from: decoder)
            return
        }
        let members = try decoder.singleValueContainer().decode([String: Member].self)
        attributeValue = .dictionary(members.mapValues(\.attributeValue))
    }

    func encode(to encoder: any Encoder) throws {
        guard case .dictionary(let members) = attributeValue else {
            return try attributeValue.encode(to: encoder)
        }
        var container = encoder.singleValueContainer()
        try container.encode(members.mapValues { Member(attributeValue: $0) })
    }

    static var takesWideNumbers: Bool { Member.takesWideNumbers }

    static func use(of number: WideNumber) -> WideNumber.Use? {
        guard case (.key, let inner)? = number.next else { return .exact }
        return Member.use(of: inner)
    }
}

/// The name of a property.
struct CodedKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
