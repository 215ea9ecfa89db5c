/// Each element becomes several others, or none.
struct FlatMapStep<Input: Equatable & Sendable, Output: Equatable & Sendable>: LiveStep {
    let transform: @Sendable (Input) throws -> [Output]
    /// For each element how many it has become.
    private var counts: [Int] = []

    init(_ transform: @escaping @Sendable (Input) throws -> [Output]) {
        self.transform = transform
    }

    mutating func begin(with elements: [Input]) throws -> [Output] {
        let parts = try elements.map(transform)
        counts = parts.map(\.count)
        return Array(parts.joined())
    }

    mutating func follow(_ edit: ArrayEdit<Input>, in result: inout LiveResult<Output>) throws {
        switch edit {
        case .insert(let element, at: let index):
            let part = try transform(element)
            counts.insert(part.count, at: index)
            let place = place(of: index)
            for (offset, new) in part.enumerated() { result.insert(new, at: place + offset) }
        case .remove(_, at: let index):
            let count = counts.remove(at: index)
            let place = place(of: index)
            for _ in 0..<count { result.remove(at: place) }
        case .replace(_, with: let element, at: let index):
            let part = try transform(element)
            let (place, old) = (place(of: index), counts[index])
            counts[index] = part.count
            for (offset, new) in part.enumerated() {
                if offset < old {
                    result.replace(at: place + offset, with: new)
                } else {
                    result.insert(new, at: place + offset)
                }
            }
            for _ in 0..<max(0, old - part.count) { result.remove(at: place + part.count) }
        case .move(_, from: let start, to: let end):
            let before = place(of: start)
            let count = counts.remove(at: start)
            counts.insert(count, at: end)
            let after = place(of: end)
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

    /// How many have come of the elements before an index.
    private func place(of index: Int) -> Int { counts[..<index].reduce(0, &+) }
}
