public import ModelKitEssentials

extension FieldPath {
    /// Reads a path as `description` writes it: keys between dots, indexes in brackets.
    ///
    /// ```swift
    /// try FieldPath(parsing: "terms[2].start")   // ["terms", 2, "start"]
    /// ```
    ///
    /// The empty text is the empty path. A key with a dot or bracket inside can only be read from a
    /// JSON Pointer.
    public init(parsing text: String) throws(FieldPathError) {
        // Byte by byte: what separates keys is ASCII.
        let bytes = Array(text.utf8)
        var components: [Component] = []
        var position = 0
        func error(_ reason: FieldPathError.Reason, at offset: Int) -> FieldPathError {
            FieldPathError(text: text, offset: offset, reason: reason)
        }
        while position < bytes.count {
            let start = position
            if bytes[start] == UInt8(ascii: "[") {
                guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "]")) else {
                    throw error(.unclosedIndex, at: start)
                }
                let digits = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
                guard let index = Int(strictly: digits) else {
                    throw error(.badIndex, at: start + 1)
                }
                components.append(.index(index))
                position = end + 1
                continue
            }
            let hasDot = bytes[start] == UInt8(ascii: ".")
            if hasDot == components.isEmpty {
                throw error(hasDot ? .emptyKey : .missingDot, at: start)
            }
            let key = bytes[(hasDot ? start + 1 : start)...].prefix {
                $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[")
            }
            if let bracket = key.firstIndex(of: UInt8(ascii: "]")) {
                throw error(.unopenedIndex, at: bracket)
            }
            if key.isEmpty { throw error(.emptyKey, at: key.startIndex) }
            components.append(.key(String(decoding: key, as: UTF8.self)))
            position = key.endIndex
        }
        self.init(components)
    }

    /// Reads a JSON Pointer, if the text begins with a slash, and otherwise what `description` writes.
    package init(either text: String) throws(FieldPathError) {
        if text.hasPrefix("/") {
            try self.init(jsonPointer: text)
        } else {
            try self.init(parsing: text)
        }
    }

    /// Reads a JSON Pointer (RFC 6901): `/terms/2/start`.
    ///
    /// A number without leading zeros is read as an index, as the pointer does not say which it is.
    public init(jsonPointer text: String) throws(FieldPathError) {
        var components: [Component] = []
        var parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.removeFirst().isEmpty else {
            throw FieldPathError(text: text, offset: 0, reason: .missingSlash)
        }
        var offset = 1
        for part in parts {
            let key = String(Substring(part))
            defer { offset += key.utf8.count + 1 }
            if let index = Int(strictly: key) {
                components.append(.index(index))
                continue
            }
            // Scalar by scalar: a mark may follow what escapes.
            var unescaped = String.UnicodeScalarView()
            var rest = key.unicodeScalars[...]
            while let tilde = rest.firstIndex(of: "~") {
                unescaped += rest[..<tilde]
                rest = rest[rest.index(after: tilde)...]
                switch rest.popFirst() {
                case "0": unescaped.append("~")
                case "1": unescaped.append("/")
                default:
                    offset += key.utf8.distance(from: key.startIndex, to: tilde)
                    throw FieldPathError(text: text, offset: offset, reason: .unknownEscape)
                }
            }
            components.append(.key(String(unescaped + rest)))
        }
        self.init(components)
    }
}

/// Why a text is no path.
///
/// ```swift
/// do throws(FieldPathError) {
///     _ = try FieldPath(parsing: "terms[x]")
/// } catch {
///     error.description   // #"path "terms[x]" at 6: an index must be a number"#
/// }
/// ```
public struct FieldPathError: Error, Hashable, Sendable {
    /// What is refused.
    enum Reason: String, Hashable, Sendable {
        case emptyKey = "a key must not be empty"
        case badIndex = "an index must be a number"
        case unclosedIndex = "the bracket is not closed"
        case unopenedIndex = "no bracket is open"
        case missingDot = "a key after an index needs a dot before it"
        case missingSlash = "a pointer must be empty or begin with a slash"
        case unknownEscape = "only ~0 and ~1 are escapes"
    }

    /// The text.
    public let text: String

    /// How many bytes of it stand before what is refused.
    public let offset: Int

    /// What is refused.
    let reason: Reason
}

extension FieldPathError: LocalizedError, CustomStringConvertible {
    public var description: String { "path \"\(text)\" at \(offset): \(reason.rawValue)" }

    public var errorDescription: String? { description }
}

extension Int {
    /// A number as an index is written: digits alone, without leading zeros.
    package init?(strictly digits: String) {
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            digits == "0" || digits.utf8.first != UInt8(ascii: "0")
        else { return nil }
        self.init(digits)
    }
}
