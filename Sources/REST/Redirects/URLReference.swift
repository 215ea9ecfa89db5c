/// A reference to an address, as it is found in `Location`, and what it leads to (RFC 3986, 4.1 and 5.2).
///
/// Percent-encoding is left as it is.
struct URLReference {
    private var scheme: Substring?
    private var authority: Substring?
    private var path: Substring
    private var query: Substring?

    /// The parts of a text, without the fragment; nil if it has characters that no reference has.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        path = text.prefix { $0 != "#" }
        if let mark = path.firstIndex(of: "?") {
            query = path[path.index(after: mark)...]
            path = path[..<mark]
        }
        if let colon = path.firstIndex(of: ":"), path[..<colon].isScheme {
            scheme = path[..<colon]
            path = path[path.index(after: colon)...]
        }
        if path.hasPrefix("//") {
            authority = path.dropFirst(2).prefix { $0 != "/" }
            path = path.dropFirst(2 + (authority?.count ?? 0))
        }
    }

    /// Where it leads from an address; nil if that is no address of a server.
    func resolved(against origin: String, _ target: String) -> (origin: String, target: String)? {
        var place = origin
        if let authority {
            let prefix = origin.prefix { $0 != ":" }
            place = "\((scheme ?? prefix).lowercased())://\(authority)"
            guard HTTPOrigin(place) != nil else { return nil }
        } else if scheme != nil {
            return nil
        }
        let mark = target.firstIndex(of: "?")
        let base = target[..<(mark ?? target.endIndex)]
        var query = self.query
        let path: String
        if authority != nil || self.path.hasPrefix("/") {
            path = self.path.withoutDots
        } else if self.path.isEmpty {
            path = String(base)
            query = query ?? mark.map { target[target.index(after: $0)...] }
        } else {
            let folder = base[...(base.lastIndex(of: "/") ?? base.startIndex)]
            path = (folder + self.path).withoutDots
        }
        return (place, query.map { "\(path)?\($0)" } ?? path)
    }
}

extension Substring {
    fileprivate var isScheme: Bool {
        guard let first, first.isLetter else { return false }
        return allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
    }

    /// A path from the root, without the segments `.` and `..` (RFC 3986, 5.2.4).
    fileprivate var withoutDots: String {
        var kept: [Substring] = []
        let segments = split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in zip(segments.indices, segments) {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default:
                kept.append(segment)
                continue
            }
            // What ends with dots is a folder.
            if index == segments.endIndex - 1 { kept.append("") }
        }
        return "/" + kept.joined(separator: "/")
    }
}
