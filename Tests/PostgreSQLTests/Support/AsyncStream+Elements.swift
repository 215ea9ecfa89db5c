extension AsyncStream where Element: Sendable {
    /// Elements that are there already.
    static func of(_ elements: [Element]) -> AsyncStream {
        AsyncStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }
}
