// NSNull and NSNumber are nowhere else.
import Foundation
public import ModelKitFields

extension AttributeValue {
    /// The value of what property lists, JSONSerialization and other libraries hand over.
    ///
    /// It takes nil, `NSNull`, booleans, all numbers, strings, dates, data, arrays, dictionaries with
    /// texts as keys, whatever is `AttributeConvertible`, and the classes of Foundation that stand for
    /// them. An `NSNumber` is a boolean only if it was made of one: 1 is none. An integer beyond `Int64` is a
    /// double that is the same, or else a text.
    ///
    /// - Throws: An issue with the path of the first value that has no form here, or of what is nested
    ///   deeper than 512 levels.
    public init(any value: Any?) throws(Issue) {
        self = try Self.value(of: value, depth: 0)
    }

    /// The value as JSONSerialization, property lists and other libraries take it.
    ///
    /// Null is an `NSNull`, a number an `Int` or a `Double`, and dates and data stay such, which JSON
    /// does not know.
    public var anyValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .int(let value): Int(exactly: value) ?? value as Any
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .array(let values): Self.withRoom { values.map(\.anyValue) }
        case .dictionary(let values): Self.withRoom { values.mapValues(\.anyValue) }
        }
    }

    /// Values may be nested deeper than the stack.
    @inline(never)
    private static func withRoom<Values>(_ make: () -> Values) -> Any {
        var made: Any = NSNull()
        StackRoom.run { made = make() }
        return made
    }

    private static func value(of any: Any?, depth: Int) throws(Issue) -> AttributeValue {
        guard depth <= 512 else {
            throw Issue(code: "depth", message: "is nested deeper than 512 levels")
        }
        // `DeepStack.result` would look its types up for each value.
        var result = Result<AttributeValue, Issue>.success(.null)
        DeepStack.run(atDepth: depth) {
            result = Result { () throws(Issue) in try valueHere(of: any, depth: depth) }
        }
        return try result.get()
    }

    private static func valueHere(of any: Any?, depth: Int) throws(Issue) -> AttributeValue {
        guard let any, let value = unwrapped(any) else { return .null }
        if let value = value as? AttributeValue { return value }
        // Of an array or dictionary of Swift the casts would make one of Foundation, with all that is in
        // it.
        if type(of: value) is AnyClass {
            if value is NSNull { return .null }
            // Before all else, as on Apple platforms a number of Foundation is whatever is asked for.
            if let number = value as? NSNumber, type(of: value) is NSNumber.Type {
                return try self.value(of: number)
            }
        }
        if let value = value as? any AttributeConvertible, !(value is [Any]),
            !(value is [String: Any])
        {
            return value.attributeValue
        }
        if let text = value as? String { return .string(text) }
        if let date = value as? Date { return .date(date) }
        if let data = value as? Data { return .data(data) }
        if let elements = value as? [Any] {
            var result: [AttributeValue] = []
            result.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                do throws(Issue) {
                    result.append(try self.value(of: element, depth: depth + 1))
                } catch {
                    throw error.prefixed(by: [.index(index)])
                }
            }
            return .array(result)
        }
        if let members = value as? [String: Any] {
            return .dictionary(try dictionary(of: members, depth: depth))
        }
        if let number = value as? any BinaryInteger { return self.value(of: number) }
        if let number = value as? any BinaryFloatingPoint { return .double(Double(number)) }
        throw Issue(code: "type", message: "must not be \(type(of: value))")
    }

    /// Beyond `Int64` it is a double that is the same, or else a text.
    private static func value(of number: some BinaryInteger) -> AttributeValue {
        if let integer = Int64(exactly: number) { return .int(integer) }
        return Double(exactly: number).map { .double($0) } ?? .string(number.description)
    }

    fileprivate static func dictionary(
        of members: [String: Any],
        depth: Int
    ) throws(Issue) -> AttributeDictionary {
        var result = AttributeDictionary(minimumCapacity: members.count)
        for (key, member) in members {
            do throws(Issue) {
                result[key] = try value(of: member, depth: depth + 1)
            } catch {
                throw error.prefixed(by: FieldPath(key: key))
            }
        }
        return result
    }

    private static func value(of number: NSNumber) throws(Issue) -> AttributeValue {
        // Of each boolean there is one object.
        if number === yes { return .bool(true) }
        if number === no { return .bool(false) }
        if let decimal = number as? NSDecimalNumber { return decimal.decimalValue.attributeValue }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > Int64.max:
            return value(of: number.uint64Value)
        default: return .int(number.int64Value)
        }
    }

    private static let yes = NSNumber(value: true)
    private static let no = NSNumber(value: false)
}

extension AttributeDictionary {
    /// The dictionary of one of values of any type: `AttributeValue(any:)` says of which.
    ///
    /// - Throws: An issue with the path of a value that has no form here.
    public init(any dictionary: [String: Any]) throws(Issue) {
        self = try AttributeValue.dictionary(of: dictionary, depth: 0)
    }

    /// The dictionary as JSONSerialization, property lists and other libraries take it.
    public var anyDictionary: [String: Any] { mapValues(\.anyValue) }
}

extension Model {
    /// The fields' values by their keys, as JSONSerialization and other libraries take them.
    ///
    /// It is `dictionaryValue(fields:in:)` of native values; null is an `NSNull`.
    public func dictionary(
        fields: [AnyField]? = nil,
        in context: ValueTransformerContext = .default
    ) -> [String: Any] {
        dictionaryValue(fields: fields, in: context).anyDictionary
    }

    /// Makes a model of a dictionary from elsewhere: of JSONSerialization, of a property list.
    ///
    /// - Throws: An `ImportError` with every value that does not fit its field, or with the first that
    ///   has no form at all.
    public init(
        dictionary: [String: Any],
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict
    ) throws(ImportError) {
        let attributes = try ImportError.attributes(of: dictionary)
        self.init(made: try Self.make(of: attributes, in: context, policy: policy))
    }

    /// Sets the fields whose keys a dictionary from elsewhere has; the others keep their values.
    ///
    /// - Throws: An `ImportError` with every value that does not fit its field, or with the first that
    ///   has no form at all; then nothing is set.
    public func read(
        dictionary: [String: Any],
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict
    ) throws(ImportError) {
        let attributes = try ImportError.attributes(of: dictionary)
        try read(dictionaryValue: attributes, in: context, policy: policy)
    }
}

extension ImportError {
    fileprivate static func attributes(
        of dictionary: [String: Any]
    ) throws(ImportError) -> AttributeDictionary {
        do throws(Issue) {
            return try AttributeDictionary(any: dictionary)
        } catch {
            throw ImportError(issues: [error])
        }
    }
}
