// What is shown of messages: never a body, nor a value of a query, nor one of a field that may be secret.
// They have no reflection either, as that is how `dump` and tests would show what is left out here.

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields, without the values of those that may be secret.
    public var description: String {
        let fields = map { name, value in
            "\(name): \(isSecret(name) ? "(hidden)" : value.hidingQueryValues)"
        }
        return "[\(fields.joined(separator: ", "))]"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method, the address, the fields and the size, without what may be secret.
    public var description: String {
        let place = origin.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return "\(method) \(place)\(target.hidingQueryValues) \(headers), \(body?.count ?? 0) bytes"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, the fields and the size, without what may be secret.
    public var description: String { "\(status) \(headers), \(body.count) bytes" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether a field may carry what is nobody's business: by words in its name, as many are made up.
private func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["auth", "cookie", "key", "token", "secret", "session", "password", "signature"]
        .contains { name.contains($0) }
}

extension String {
    /// Itself, with dots in place of what stands behind the equals signs of an address' query.
    fileprivate var hidingQueryValues: String {
        guard utf8.contains(UInt8(ascii: "?")) else { return self }
        var shown = ""
        var isQuery = false
        var isValue = false
        for character in unicodeScalars {
            switch character {
            case "?": isQuery = true
            case "=" where isQuery && !isValue:
                isValue = true
                shown += "=…"
                continue
            case "&": isValue = false
            case "#", ">", "\"", " ":
                isQuery = false
                isValue = false
            default: break
            }
            if !isValue { shown.unicodeScalars.append(character) }
        }
        return shown
    }
}
