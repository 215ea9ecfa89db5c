/// A validator of a representation (RFC 9110, 8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// What stands between the quotes.
    package let text: String
    package let isWeak: Bool

    package init(_ text: String, isWeak: Bool) {
        self.text = text
        self.isWeak = isWeak
    }

    /// That of a revision.
    package init(revision: Int64) { self.init(String(revision), isWeak: false) }

    /// The revision that it names, if it is strong and a number in its shortest form.
    package var revision: Int64? {
        guard !isWeak, let number = Int64(text), String(number) == text else { return nil }
        return number
    }

    /// What the header has.
    package var description: String { isWeak ? "W/\"\(text)\"" : "\"\(text)\"" }

    /// The tag of an `ETag` header; nil if it is none.
    package init?(_ header: String) {
        guard case .tags(let tags)? = EntityTags(header), tags.count == 1 else { return nil }
        self = tags[0]
    }
}

extension EntityTag {
    /// The tag that the version in an object is: a text or a number, or a tag as a header has it; nil where there
    /// is none, or one that no header can have.
    init?(version object: AttributeDictionary, at path: [String]) {
        switch AttributeValue.dictionary(object).member(at: path) {
        case .int(let number)?: self.init(revision: number)
        case .string(let text)?:
            if let tag = EntityTag(text) {
                self = tag
            } else {
                self.init("\"\(text)\"")
            }
        default: return nil
        }
    }
}

/// What `If-Match` and `If-None-Match` have (RFC 9110, 13.1).
package enum EntityTags: Hashable, Sendable {
    case any
    case tags([EntityTag])

    /// Those of a header; nil if it has another form.
    package init?(_ header: String) {
        var rest = Substring(header).utf8[...]
        func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }
        skipSpace()
        if rest.first == UInt8(ascii: "*") {
            rest.removeFirst()
            skipSpace()
            guard rest.isEmpty else { return nil }
            self = .any
            return
        }
        var tags: [EntityTag] = []
        while true {
            skipSpace()
            // A list may have empty elements (RFC 9110, 5.6.1).
            if rest.first == UInt8(ascii: ",") {
                rest.removeFirst()
                continue
            }
            if rest.isEmpty { break }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            rest.removeFirst()
            guard let end = rest.firstIndex(of: UInt8(ascii: "\"")),
                rest[..<end].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
            else { return nil }
            tags.append(EntityTag(String(Substring(rest[..<end])), isWeak: isWeak))
            rest = rest[end...].dropFirst()
            skipSpace()
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        if tags.isEmpty { return nil }
        self = .tags(tags)
    }

    /// Whether one is another tag; weak ones count only where that is asked for.
    package func contains(_ tag: EntityTag, weakly: Bool) -> Bool {
        guard case .tags(let tags) = self else { return true }
        return tags.contains { $0.text == tag.text && (weakly || !$0.isWeak) }
    }
}
