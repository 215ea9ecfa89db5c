/// The elements come in an order; of equal ones those come first that did before.
struct SortStep<Element: Equatable & Sendable>: LiveStep {
    let areInIncreasingOrder: @Sendable (Element, Element) throws -> Bool
    /// For each place of the result the index that its element has in the other array.
    private var order: [Int] = []

    init(_ areInIncreasingOrder: @escaping @Sendable (Element, Element) throws -> Bool) {
        self.areInIncreasingOrder = areInIncreasingOrder
    }

    mutating func begin(with elements: [Element]) throws -> [Element] {
        order = try elements.indices.sorted {
            try areInIncreasingOrder(elements[$0], elements[$1])
        }
        return order.map { elements[$0] }
    }

    mutating func follow(_ edit: ArrayEdit<Element>, in result: inout LiveResult<Element>) throws {
        switch edit {
        case .insert(let element, at: let index):
            makeRoom(at: index)
            let place = try self.place(of: element, index, in: result.elements)
            order.insert(index, at: place)
            result.insert(element, at: place)
        case .remove(_, at: let index):
            result.remove(at: takeOut(index))
        case .replace(_, with: let element, at: let index):
            let (old, new) = try reorder(element, from: index, to: index, in: result.elements)
            if old == new { return result.replace(at: new, with: element) }
            result.remove(at: old)
            result.insert(element, at: new)
        case .move(let element, from: let start, to: let end):
            let (old, new) = try reorder(element, from: start, to: end, in: result.elements)
            result.move(from: old, to: new)
        case .reset: break
        }
    }

    /// Takes what has an index in the other array out of its place, and puts in what is at another then.
    ///
    /// - Returns: Both places.
    private mutating func reorder(
        _ element: Element,
        from start: Int,
        to end: Int,
        in elements: [Element]
    ) throws -> (old: Int, new: Int) {
        let old = takeOut(start)
        var others = elements
        others.remove(at: old)
        makeRoom(at: end)
        let new = try place(of: element, end, in: others)
        order.insert(end, at: new)
        return (old, new)
    }

    /// Takes out what has an index in the other array, from which it is gone.
    ///
    /// - Returns: Its place.
    private mutating func takeOut(_ index: Int) -> Int {
        // What is taken out was put in before.
        let place = order.firstIndex(of: index) ?? 0
        order.remove(at: place)
        for other in order.indices where order[other] > index { order[other] -= 1 }
        return place
    }

    /// Moves the indices up of what is behind an element that is new in the other array.
    private mutating func makeRoom(at index: Int) {
        for other in order.indices where order[other] >= index { order[other] += 1 }
    }

    /// Where an element belongs among others.
    private func place(of element: Element, _ index: Int, in others: [Element]) throws -> Int {
        var (low, high) = (0, others.count)
        while low < high {
            let middle = (low + high) / 2
            let isBehind =
                try areInIncreasingOrder(others[middle], element)
                || order[middle] < index && !areInIncreasingOrder(element, others[middle])
            if isBehind { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
