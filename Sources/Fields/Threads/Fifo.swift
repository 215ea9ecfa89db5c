/// What waits in a row: taken out in the order in which it was put in, each in constant time.
struct Fifo<Element: Sendable>: Sendable {
    private var incoming: [Element] = []
    /// Older than `incoming`, the oldest last.
    private var outgoing: [Element] = []

    var count: Int { incoming.count + outgoing.count }
    var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    mutating func append(_ element: Element) {
        incoming.append(element)
    }

    mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming = []
        }
        return outgoing.popLast()
    }

    /// Changes the newest element; nil if there is none.
    @discardableResult
    mutating func updateNewest<Result>(_ body: (inout Element) -> Result) -> Result? {
        if !incoming.isEmpty { return body(&incoming[incoming.count - 1]) }
        if !outgoing.isEmpty { return body(&outgoing[0]) }
        return nil
    }
}
