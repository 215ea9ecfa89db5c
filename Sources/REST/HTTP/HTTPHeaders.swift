/// The fields of a message's head: in their order, with names that are equal in any case.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept"]             // "application/json"
/// headers.add("Link", "</people?page=2>; rel=\"next\"")
/// ```
///
/// Two are equal if they have the same names with the same values; the order of different names does not
/// count. Descriptions leave out what is secret. A field that would break the head is refused when the
/// message is sent, not before.
public struct HTTPHeaders: Sendable {
    private var fields: [Field] = []

    /// One field.
    private struct Field: Sendable {
        let name: String
        var value: String

        func isNamed(_ other: String) -> Bool {
            // Mostly they are written alike.
            name == other
                || name.utf8.count == other.utf8.count
                    && zip(name.utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
        }
    }

    public init() {}

    /// Those of another library, or some of them.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// The value of a field; where it comes several times, all values with commas between them (RFC
    /// 9110, 5.2), which those of `Set-Cookie` do not survive: see `values(of:)`.
    ///
    /// A value that is set takes the place of all.
    public subscript(name: String) -> String? {
        get {
            var values = fields.lazy.filter { $0.isNamed(name) }.map(\.value).makeIterator()
            guard var all = values.next() else { return nil }
            while let value = values.next() { all += ", " + value }
            return all
        }
        set {
            let index = fields.firstIndex { $0.isNamed(name) }
            fields.removeAll { $0.isNamed(name) }
            guard let newValue else { return }
            fields.insert(Field(name: name, value: newValue), at: index ?? fields.endIndex)
        }
    }

    /// The values of a name, in their order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.isNamed(name) }.map(\.value)
    }

    /// Adds a field beside those of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Sets fields, in place of those of the same names.
    public mutating func merge(_ others: HTTPHeaders) {
        fields.removeAll { field in others.fields.contains { $0.isNamed(field.name) } }
        fields += others.fields
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}

extension HTTPHeaders: Hashable {
    /// The values of each name, whose order does not count.
    private var valuesByName: [[UInt8]: [String]] {
        Dictionary(grouping: fields) { $0.name.utf8.map(\.lowercased) }
            .mapValues { $0.map(\.value) }
    }

    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.valuesByName == right.valuesByName
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(valuesByName) }
}

extension HTTPHeaders: Sequence {
    public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        fields.lazy.map { (name: $0.name, value: $0.value) }.makeIterator()
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }
}
