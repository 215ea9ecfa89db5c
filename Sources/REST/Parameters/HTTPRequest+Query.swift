extension HTTPRequest {
    /// What comes after the `?` of the target; empty if there is none.
    ///
    /// ```swift
    /// HTTPRequest(.get, "/people?city=Rome").query   // "city=Rome"
    /// ```
    public var query: String {
        target.utf8.firstIndex(of: UInt8(ascii: "?"))
            .map { String(target[target.utf8.index(after: $0)...]) } ?? ""
    }
}
