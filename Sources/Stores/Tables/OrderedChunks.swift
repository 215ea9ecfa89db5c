/// Elements in an order, in small pieces: a copy shares all pieces that are not changed, and an element
/// is put in or taken out without moving more than one of them.
struct OrderedChunks<Element: Sendable>: Sendable {
    /// A place between two elements, or at an end; between two pieces it is the start of the second.
    struct Position: Comparable {
        var chunk: Int
        var offset: Int

        static func < (left: Position, right: Position) -> Bool {
            left.chunk == right.chunk ? left.offset < right.offset : left.chunk < right.chunk
        }
    }

    /// None of them is empty.
    private(set) var chunks: ContiguousArray<ContiguousArray<Element>> = []

    private static var most: Int { 256 }

    /// The place after the element at one.
    func position(after position: Position) -> Position {
        position.offset + 1 < chunks[position.chunk].count
            ? Position(chunk: position.chunk, offset: position.offset + 1)
            : Position(chunk: position.chunk + 1, offset: 0)
    }

    var start: Position { Position(chunk: 0, offset: 0) }
    var end: Position { Position(chunk: chunks.count, offset: 0) }

    subscript(position: Position) -> Element {
        get { chunks[position.chunk][position.offset] }
        set { chunks[position.chunk][position.offset] = newValue }
    }

    /// The element after a place; nil at the end.
    func element(after position: Position) -> Element? {
        position.chunk < chunks.count ? self[position] : nil
    }

    /// The place before the element that stands before a place; nil at the start.
    func position(before position: Position) -> Position? {
        if position.offset > 0 {
            return Position(chunk: position.chunk, offset: position.offset - 1)
        }
        if position.chunk == 0 { return nil }
        return Position(chunk: position.chunk - 1, offset: chunks[position.chunk - 1].count - 1)
    }

    /// The place that parts the elements that come before something from the rest.
    ///
    /// Elements are looked at where they are: to copy one costs more than that.
    @inline(__always)
    func partition(_ isBefore: (UnsafePointer<Element>) -> Bool) -> Position {
        let chunk = chunks.withUnsafeBufferPointer { chunks in
            chunks.indices.partition { middle in
                chunks[middle].withUnsafeBufferPointer { $0.baseAddress.map(isBefore) ?? false }
            }
        }
        if chunk == 0 { return start }
        return chunks[chunk - 1].withUnsafeBufferPointer { elements in
            guard let base = elements.baseAddress else { return start }
            let offset = (1..<elements.count).partition { isBefore(base + $0) }
            return offset < elements.count
                ? Position(chunk: chunk - 1, offset: offset) : Position(chunk: chunk, offset: 0)
        }
    }

    /// About how many elements stand between two places.
    func distance(from start: Position, to end: Position) -> Int {
        if start >= end { return 0 }
        var end = end
        if end.chunk == chunks.count, let last = chunks.last {
            end = Position(chunk: chunks.count - 1, offset: last.count)
        }
        if start.chunk == end.chunk { return end.offset - start.offset }
        let whole = (end.chunk - start.chunk - 1) * Self.most * 3 / 4
        return chunks[start.chunk].count - start.offset + whole + end.offset
    }

    /// Calls a closure with the elements between two places, until it says no.
    ///
    /// - Returns: Whether it never did.
    @discardableResult
    func forEach(
        from start: Position,
        to end: Position,
        _ body: (UnsafePointer<Element>) -> Bool
    ) -> Bool {
        var chunk = start.chunk
        while chunk < chunks.count, chunk <= end.chunk {
            let goesOn = chunks[chunk].withUnsafeBufferPointer { elements in
                guard let base = elements.baseAddress else { return true }
                let last = chunk == end.chunk ? end.offset : elements.count
                var index = chunk == start.chunk ? start.offset : 0
                while index < last {
                    // Not copied: to count its references costs more than to look at it.
                    if !body(base + index) { return false }
                    index += 1
                }
                return true
            }
            if !goesOn { return false }
            chunk += 1
        }
        return true
    }

    mutating func insert(_ element: Element, at position: Position) {
        if chunks.isEmpty { return chunks.append([element]) }
        var position = position
        if position.offset == 0, position.chunk > 0 {
            position.chunk -= 1
            position.offset = chunks[position.chunk].count
        }
        if chunks[position.chunk].count < Self.most {
            chunks[position.chunk].insert(element, at: position.offset)
        } else if position.chunk == chunks.count - 1, position.offset == Self.most {
            // Mostly elements are added in their order: so the pieces become full.
            chunks.append([element])
        } else {
            let half = Self.most / 2
            let rest = ContiguousArray(chunks[position.chunk][half...])
            chunks[position.chunk].removeSubrange(half...)
            chunks.insert(rest, at: position.chunk + 1)
            if position.offset <= half {
                chunks[position.chunk].insert(element, at: position.offset)
            } else {
                chunks[position.chunk + 1].insert(element, at: position.offset - half)
            }
        }
    }

    /// Takes out the element after a place.
    mutating func remove(at position: Position) {
        chunks[position.chunk].remove(at: position.offset)
        let count = chunks[position.chunk].count
        if count == 0 {
            chunks.remove(at: position.chunk)
        } else if position.chunk + 1 < chunks.count,
            count + chunks[position.chunk + 1].count <= Self.most / 2
        {
            let next = chunks.remove(at: position.chunk + 1)
            chunks[position.chunk].append(contentsOf: next)
        }
    }
}
