public import Foundation

extension HTTPRequest {
    /// The address as Foundation has it; nil where the origin is none of HTTP: a scheme, a host and perhaps a port.
    ///
    /// What is encoded stays as it is, also beside a character that a URL has to have encoded and the target has
    /// not.
    ///
    /// ```swift
    /// HTTPRequest(.get, "https://example.com", "/people/a%2Fb?city={Rome}").url
    /// // https://example.com/people/a%2Fb?city=%7BRome%7D
    /// ```
    public var url: URL? {
        guard let colon = origin.range(of: "://") else { return nil }
        let scheme = origin[..<colon.lowerBound].lowercased()
        let place = origin[colon.upperBound...]
        // No path and no user's name: what is sent must be what was asked for, and credentials are fields.
        guard scheme == "http" || scheme == "https", !place.isEmpty,
            place.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"/?#@\\".utf8.contains($0) })
        else { return nil }
        if let url = URL(string: origin + target, encodingInvalidCharacters: false) { return url }
        // Else all is encoded once more, also what is encoded, where one character has to be.
        let allowed = CharacterSet.urlQueryAllowed.union(CharacterSet(charactersIn: "%"))
        let encoded = target.addingPercentEncoding(withAllowedCharacters: allowed)
        return URL(string: origin + (encoded ?? target))
    }
}
