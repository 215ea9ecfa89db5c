extension HTTPHeaders {
    /// The target of a link with a relation, as the server wrote it (RFC 8288); nil if there is none.
    ///
    /// ```swift
    /// let headers: HTTPHeaders = ["Link": "</people?page=2>; rel=\"next\""]
    /// headers.link(to: "next")   // "/people?page=2"
    /// ```
    public func link(to relation: String) -> String? {
        for value in values(of: "Link") {
            var reader = LinkReader(rest: value.utf8[...])
            while let link = reader.next() {
                let relations = (link.relation ?? "").split(whereSeparator: { $0 == " " })
                let isFound = relations.contains { $0.lowercased() == relation.lowercased() }
                if isFound { return link.target }
            }
        }
        return nil
    }
}

/// Reads the links of a field.
private struct LinkReader {
    var rest: Substring.UTF8View

    /// The next one; nil at the end, and where something else stands.
    mutating func next() -> (target: String, relation: String?)? {
        skip { $0 == UInt8(ascii: ",") || $0.isBlank }
        guard take(UInt8(ascii: "<")) else { return nil }
        let target = String(Substring(rest.prefix { $0 != UInt8(ascii: ">") }))
        rest = rest.dropFirst(target.utf8.count)
        guard take(UInt8(ascii: ">")) else { return nil }
        var relation: String?
        while true {
            skip(\.isBlank)
            guard take(UInt8(ascii: ";")) else { break }
            skip(\.isBlank)
            let name = word { $0 != UInt8(ascii: "=") && !$0.endsParameter }
            skip(\.isBlank)
            guard take(UInt8(ascii: "=")) else { continue }
            skip(\.isBlank)
            let value = take(UInt8(ascii: "\"")) ? quoted() : word { !$0.endsParameter }
            // The first one counts.
            if name.lowercased() == "rel", relation == nil { relation = value }
        }
        return (target, relation)
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func word(_ isOfWord: (UInt8) -> Bool) -> String {
        let word = rest.prefix(while: isOfWord)
        rest = rest[word.endIndex...]
        return String(Substring(word))
    }

    /// What stands up to the next quotation mark, which is passed.
    private mutating func quoted() -> String {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    fileprivate var endsParameter: Bool {
        self == UInt8(ascii: ";") || self == UInt8(ascii: ",") || isBlank
    }
}
