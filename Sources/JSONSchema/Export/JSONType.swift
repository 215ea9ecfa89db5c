import ModelKitEssentials
import ModelKitFields
import ModelKitModels

/// What is known of the JSON form of a value.
indirect enum JSONType: Sendable {
    /// Nothing, or that it may be anything.
    case any
    case bool
    case integer(ClosedRange<Int64>?)
    case number
    case text(format: String?)
    case data
    case array(JSONType)
    /// An array, of which elements that are there more than once count once.
    case set(JSONType)
    case dictionary(JSONType)
    case model(ModelSchema)
    /// The cases of an enum.
    case cases(JSONType, [AttributeValue])
    /// An integer of 64 bits without a sign, which models write as text beyond `Int64`.
    case wideInteger
    /// Text, which models read from a number, too.
    case decimal
    /// A form that code makes of the value, so that what is said of the value says nothing of it.
    case made(AttributeKind)
    case optional(JSONType)
}

extension JSONType {
    /// The shape of the values of a type, in a context that has nothing to say to the type itself.
    init(_ type: Any.Type, in registry: TransformerRegistry? = nil) {
        self =
            switch type {
            case is Bool.Type: .bool
            case is any BinaryFloatingPoint.Type: .number
            case is UInt64.Type, is UInt.Type: .wideInteger
            case is Decimal.Type: .decimal
            case let type as any FixedWidthInteger.Type: .integer(Self.limits(of: type))
            case is String.Type: .text(format: nil)
            case is Date.Type: .text(format: "date-time")
            case is UUID.Type: .text(format: "uuid")
            case is URL.Type: .text(format: "uri-reference")
            case is Data.Type: .data
            case let type as any Model.Type: .model(type.schema)
            case let type as any AnyOptional.Type:
                .optional(JSONType(ofElements: type.wrappedType, in: registry))
            case let type as any ShapedType.Type: type.shape(in: registry)
            case let type as any (CaseIterable & AttributeConvertible).Type:
                Self.cases(of: type)
            case is AttributeValue.Type: .any
            case let type as any AttributeConvertible.Type:
                .made(type.attributeKind) { (try? type.init(attributeValue: $0)) != nil }
            case let type as any (CaseIterable & RawRepresentable).Type: Self.rawCases(of: type)
            case let type as any RawRepresentable.Type: Self.made(of: type)
            default: .any
            }
    }

    /// The shape of the values of a field in a context.
    init(_ field: AnyField, in registry: TransformerRegistry?) {
        let (kind, showsValue, isNumber) = field.form(in: registry)
        if !showsValue {
            self = .made(isNumber ? .double : kind) { field.reads($0, in: registry) }
        } else if let element = field.elementField {
            self = .array(JSONType(element, in: registry))
        } else if let partner = field.partnerSchema, kind != .dictionary {
            self =
                partner.identifier.map {
                    JSONType($0.field(in: partner.prototype), in: registry)
                } ?? .any
        } else if field.holdsWholeModels(in: registry) == false {
            self = .made(.dictionary)
        } else {
            let shape = JSONType(field.valueType, in: registry)
            // An enum needs to be nothing more for an `EnumField`.
            if case .any = shape { self = Self.known(kind) } else { self = shape }
        }
    }

    /// The shape of values inside of others.
    fileprivate init(ofElements type: Any.Type, in registry: TransformerRegistry?) {
        let isMade = registry?.transforms(type) ?? false
        self = isMade ? .made(.any) : JSONType(type, in: registry)
    }

    /// A form that code makes, and reads: of which kind it is, that does not say that no other is read.
    ///
    /// A few values of each show it.
    private static func made(
        _ kind: AttributeKind,
        _ isRead: (AttributeValue) -> Bool
    ) -> JSONType {
        guard case .string(let name)? = known(kind).schema.keywords["type"],
            let type = SchemaType(rawValue: name)
        else { return .made(kind) }
        let others = samples.filter { !type.has($0) }
        return .made(others.contains(where: isRead) ? .any : kind)
    }

    private static let samples: [AttributeValue] = [
        false, true, 0, 1, 2, 10, -1, 1_000_000_000, 0.5, 1.5, -1.5, "", "a", "0", "1", "1.5",
        "true",
        "2000-01-01", "2000-01-01T00:00:00Z", [], [:],
    ]

    private static func known(_ kind: AttributeKind) -> JSONType {
        switch kind {
        case .bool: .bool
        case .int: .integer(nil)
        case .double: .number
        case .string, .decimal, .uuid: .text(format: nil)
        case .data: .data
        case .date: .text(format: "date-time")
        case .array: .array(.any)
        case .dictionary: .dictionary(.any)
        case .unsigned, .any: .any
        }
    }

    private static func limits<Number: FixedWidthInteger>(
        of type: Number.Type
    ) -> ClosedRange<Int64>? {
        guard Number.bitWidth <= 32 else { return nil }
        return Int64(Number.min)...Int64(Number.max)
    }

    private static func cases<Cases: CaseIterable & AttributeConvertible>(
        of type: Cases.Type
    ) -> JSONType {
        let forms = Cases.allCases.map(\.attributeValue)
        // An `EnumField` has the raw values, a field of another kind what the code makes.
        let isMade =
            type is any RawRepresentable.Type
            && forms != Cases.allCases.map { AttributeValue(describing: $0) }
        return isMade ? .made(.any) : .cases(known(type.attributeKind), forms)
    }

    private static func rawCases<Cases: CaseIterable & RawRepresentable>(
        of type: Cases.Type
    ) -> JSONType {
        .cases(JSONType(Cases.RawValue.self), Cases.allCases.map { AttributeValue(describing: $0) })
    }

    /// Not every raw value needs to stand for one of the type.
    private static func made<Raw: RawRepresentable>(of type: Raw.Type) -> JSONType {
        .made((Raw.RawValue.self as? any AttributeConvertible.Type)?.attributeKind ?? .any)
    }
}

extension JSONType {
    /// What the shape alone demands of a value that is there, but for what is inside of it.
    var schema: SchemaNode {
        switch self {
        case .any: return .anything
        case .bool: return SchemaNode(["type": "boolean"])
        case .number: return SchemaNode(["type": "number"])
        case .integer(let limits):
            guard let limits else { return SchemaNode(["type": "integer"]) }
            var schema = SchemaNode(["type": "integer", "minimum": .int(limits.lowerBound)])
            // The greatest of a field without a sign is beyond what is known here.
            if limits.upperBound < .max { schema.keywords["maximum"] = .int(limits.upperBound) }
            return schema
        case .text(let format):
            guard let format else { return SchemaNode(["type": "string"]) }
            return SchemaNode(["type": "string", "format": .string(format)])
        case .data: return SchemaNode(["type": "string", "contentEncoding": "base64"])
        case .wideInteger:
            return SchemaNode([
                "type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$",
            ])
        case .decimal: return SchemaNode(["type": ["string", "number"]])
        case .array, .set: return SchemaNode(["type": "array"])
        case .dictionary, .model: return SchemaNode(["type": "object"])
        case .cases(let shape, let values):
            var schema = shape.schema
            schema.keywords["enum"] = .array(values)
            return schema
        case .made(let kind): return Self.known(kind).schema
        case .optional(let wrapped): return wrapped.schema
        }
    }

    /// The JSON types of values that are there.
    var types: AttributeValue {
        schema.keywords["type"] ?? ["array", "boolean", "number", "object", "string"]
    }

    /// Whether code makes the form.
    var isMade: Bool { if case .made = self { true } else { isDecimal } }

    var isDecimal: Bool { if case .decimal = self { true } else { false } }

    /// Whether a type is known, and with it that null is none of the values.
    var hasType: Bool {
        switch self {
        case .any, .optional, .made(.any): false
        default: true
        }
    }

    /// The same where nothing writes the values: every integer is one.
    var plain: JSONType {
        switch self {
        case .wideInteger: .integer(0...Int64.max)
        case .array(let element): .array(element.plain)
        case .set(let element): .set(element.plain)
        case .dictionary(let value): .dictionary(value.plain)
        case .cases(let shape, let values): .cases(shape.plain, values)
        case .optional(let shape): .optional(shape.plain)
        default: self
        }
    }

    /// Whether forms that differ may stand for equal values, as two spellings of "é" do.
    var hasSeveralForms: Bool {
        switch self {
        case .bool, .integer, .number, .cases: false
        case .array(let element), .optional(let element): element.hasSeveralForms
        default: true
        }
    }

    /// Whether values that differ may be the same in JSON, as the integer 1 and the double 1.0.
    var mayBeAlike: Bool {
        switch self {
        case .any, .model, .made(.any), .made(.array), .made(.dictionary): true
        case .array(let inner), .set(let inner), .dictionary(let inner), .optional(let inner):
            inner.mayBeAlike
        default: false
        }
    }

    var isOptional: Bool { if case .optional = self { true } else { false } }

    /// The same without the optionals around it.
    var wrapped: JSONType { if case .optional(let shape) = self { shape.wrapped } else { self } }
}

/// A type that knows the shape of its values by those of others.
private protocol ShapedType {
    static func shape(in registry: TransformerRegistry?) -> JSONType
}

extension ShapedType where Self: Sequence {
    fileprivate static func shape(in registry: TransformerRegistry?) -> JSONType {
        .array(JSONType(ofElements: Element.self, in: registry))
    }
}

extension Array: ShapedType {}

extension Set: ShapedType {
    fileprivate static func shape(in registry: TransformerRegistry?) -> JSONType {
        .set(JSONType(ofElements: Element.self, in: registry))
    }
}

extension Dictionary: ShapedType {
    fileprivate static func shape(in registry: TransformerRegistry?) -> JSONType {
        if Key.self is String.Type {
            return .dictionary(JSONType(ofElements: Value.self, in: registry))
        }
        // Numbers are names of an object, if as text. Of other keys and their values there may be
        // an array, in turns.
        return Key.self is Int.Type ? .any : .made(.any)
    }
}
