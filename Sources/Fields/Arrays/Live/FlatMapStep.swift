/// Each element becomes several others, or stays or not.
struct FlatMapStep<Input: Equatable & Sendable, Output: Equatable & Sendable>: LiveStep {
    /// Hands out what an element becomes, one after the other.
    let transform: @Sendable (_ element: Input, _ add: (Output) -> Void) throws -> Void
    /// For each element how many it has become.
    private var counts = PartCounts()

    init(
        _ transform: @escaping @Sendable (_ element: Input, _ add: (Output) -> Void) throws -> Void
    ) {
        self.transform = transform
    }

    mutating func begin(with elements: [Input]) throws -> [Output] {
        var result: [Output] = []
        counts = PartCounts()
        for element in elements {
            let count = result.count
            try transform(element) { result.append($0) }
            counts.append(result.count - count)
        }
        return result
    }

    mutating func follow(_ edit: ArrayEdit<Input>, in result: inout LiveResult<Output>) throws {
        switch edit {
        case .insert(let element, at: let index):
            let part = try part(of: element)
            counts.insert(0, at: index)
            put(part, at: index, in: &result)
        case .remove(_, at: let index):
            put([], at: index, in: &result)
            counts.remove(at: index)
        case .replace(_, with: let element, at: let index):
            put(try part(of: element), at: index, in: &result)
        case .move(_, from: let start, to: let end):
            let before = counts.sum(before: start)
            let count = counts.remove(at: start)
            counts.insert(count, at: end)
            let after = counts.sum(before: end)
            for offset in 0..<count {
                if start < end {
                    result.move(from: before, to: after + count - 1)
                } else {
                    result.move(from: before + offset, to: after + offset)
                }
            }
        case .reset: break
        }
    }

    private func part(of element: Input) throws -> [Output] {
        var part: [Output] = []
        try transform(element) { part.append($0) }
        return part
    }

    /// Replaces the part that the element at an index has become.
    private mutating func put(
        _ part: [Output],
        at index: Int,
        in result: inout LiveResult<Output>
    ) {
        let (place, old) = (counts.sum(before: index), counts[index])
        counts[index] = part.count
        for (offset, new) in part.enumerated() {
            if offset < old {
                result.replace(at: place + offset, with: new)
            } else {
                result.insert(new, at: place + offset)
            }
        }
        for _ in 0..<max(0, old - part.count) { result.remove(at: place + part.count) }
    }
}
