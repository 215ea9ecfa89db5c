import ModelKitFields

/// What a coder is given, and asked for, where an attribute value stands.
///
/// It is a type, so that a coder does with dates, data and keys what it was told to, and one whose data
/// do not describe themselves is asked for what is there.
protocol CodedForm: Codable, Sendable {
    init(attributeValue: AttributeValue)
    var attributeValue: AttributeValue { get }

    /// Whether there may be numbers in it that an attribute value has as text.
    static var takesWideNumbers: Bool { get }

    /// Whether a number in JSON, of more digits than a double may keep, is read as text.
    static func takes(
        wideNumber literal: String,
        at path: ArraySlice<FieldPath.Component>,
        in registry: TransformerRegistry?
    ) -> Bool
}

extension AttributeValue: CodedForm {
    static var takesWideNumbers: Bool { false }

    static func takes(
        wideNumber literal: String,
        at path: ArraySlice<FieldPath.Component>,
        in registry: TransformerRegistry?
    ) -> Bool { false }
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

    static func takes(
        wideNumber literal: String,
        at path: ArraySlice<FieldPath.Component>,
        in registry: TransformerRegistry?
    ) -> Bool { path.isEmpty && takesWideNumbers && Native.takes(wideNumber: literal) }
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

    static func takes(
        wideNumber literal: String,
        at path: ArraySlice<FieldPath.Component>,
        in registry: TransformerRegistry?
    ) -> Bool {
        guard case .index? = path.first else { return false }
        return Element.takes(wideNumber: literal, at: path.dropFirst(), in: registry)
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

    static func takes(
        wideNumber literal: String,
        at path: ArraySlice<FieldPath.Component>,
        in registry: TransformerRegistry?
    ) -> Bool {
        guard case .key? = path.first else { return false }
        return Member.takes(wideNumber: literal, at: path.dropFirst(), in: registry)
    }
}

/// The name of a property.
struct CodedKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
