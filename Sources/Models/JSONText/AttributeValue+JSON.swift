public import ModelKitFields
public import ModelKitEssentials

extension AttributeValue {
    /// The value of a JSON text (RFC 8259): any, not only an object.
    ///
    /// A number without fraction and exponent is `.int`, every other one `.double`, rounded correctly.
    /// An integer beyond `Int64` becomes `.double` if that is exactly the same number (tried below
    /// 2¹²⁷), or if it is the shortest digits of one filled up with zeros, as writers of JSON write large
    /// doubles: 10²³ in full, though no double is just that. Any other is an error; a `Field<Double>` takes the
    /// nearest double of any. Dates and data stay texts, which the fields of such values take.
    ///
    /// Of a key that is there more than once the last value counts, unless the options refuse it; keys
    /// are compared as Swift compares strings. A mark of the byte order at the start is skipped. Half
    /// surrogate pairs, invalid UTF-8, numbers beyond the range of a double and more than 512 arrays and
    /// objects inside of each other are errors, as is everything that RFC 8259 does not allow.
    ///
    /// ```swift
    /// let value = try AttributeValue(json: Data(#"{"name": "Ada", "age": 36}"#.utf8))
    /// // ["name": "Ada", "age": 36]
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text, in UTF-8.
    ///   - options: What else is asked of it.
    /// - Throws: An `ImportError` that says where the text is not JSON: by the byte, from 0, and by the
    ///   line and the column, from 1, in Unicode scalars; `places` has them, too, and the path.
    public init(json: Data, options: JSONOptions = JSONOptions()) throws(ImportError) {
        self = try json.withJSON { bytes throws(ImportError) in
            try JSONReader.value(bytes, options)
        }
    }

    /// The value as JSON text in UTF-8.
    ///
    /// Keys are sorted by their Unicode scalars, so equal values give equal texts. Doubles are written
    /// with the fewest digits that are read as the same one and never like integers: `3.0`. Dates
    /// become texts of RFC 3339, data Base64.
    ///
    /// - Parameter isPretty: Whether the text is laid out for people: a line for each element, indented
    ///   by two spaces.
    /// - Returns: The text, without a line break at its end.
    /// - Throws: An `ImportError` with the path of every number that is not finite, which JSON cannot
    ///   say, of every date that is too far away for a text, and of what is nested
    ///   deeper than 512 arrays and dictionaries.
    public func jsonData(isPretty: Bool = false) throws(ImportError) -> Data {
        var writer = JSONWriter(isPretty: isPretty)
        writer.write(self)
        guard writer.issues.isEmpty else { throw ImportError(issues: writer.issues) }
        return writer.data()
    }

    /// The only member of the object that stands for a date or data where the same is to be read again.
    package var tag: (key: String, value: AttributeValue)? {
        switch self {
        case .data(let data): ("$data", .string(data.base64EncodedString()))
        case .date(let date): ("$date", .int(Timestamp.microseconds(of: date)))
        default: nil
        }
    }
}
