/// The fields of a message's head: in their order, with names that are equal in any case.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept"]             // "application/json"
/// headers.add("Link", "</people?page=2>; rel=\"next\"")
/// ```
public struct HTTPHeaders: Hashable, Sendable {
    private var fields: [Field] = []

    /// One field.
    private struct Field: Hashable, Sendable {
        let name: String
        var value: String

        func isNamed(_ other: String) -> Bool {
            name.utf8.count == other.utf8.count
                && zip(name.utf8, other.utf8).allSatisfy {
                    $0 | ($0.isUpper ? 0x20 : 0) == $1 | ($1.isUpper ? 0x20 : 0)
                }
        }
    }

    public init() {}

    /// The value of a field; where it comes several times, all values with commas between them (RFC
    /// 9110, 5.2).
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

    /// Adds a field beside those of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Sets fields, in place of those of the same names.
    public mutating func merge(_ others: HTTPHeaders) {
        for name in Set(others.fields.map { $0.name.lowercased() }) { self[name] = nil }
        fields += others.fields
    }
}

extension UInt8 {
    fileprivate var isUpper: Bool { 0x41...0x5A ~= self }
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
