/// A list whose copies share what they have in common, so that a change of one that is held elsewhere, too, costs
/// O(log n): a tree with the elements in its leaves, which knows how many are below each node. (`OrderedChunks`, which
/// keeps the rows of tables, copies the list of its pieces then.)
struct SharedList<Element: Sendable>: Sendable {
    private(set) var count = 0
    /// Those of a leaf.
    private var elements: ContiguousArray<Element> = []
    /// Those of another node, none of which is empty.
    private var children: ContiguousArray<SharedList> = []

    /// So many elements or children a node has at most.
    private static var most: Int { 64 }

    init() {}

    init(_ all: some RandomAccessCollection<Element>) {
        var nodes = ContiguousArray<SharedList>()
        var rest = all[...]
        while !rest.isEmpty {
            // With room for others.
            nodes.append(SharedList(elements: ContiguousArray(rest.prefix(Self.most * 3 / 4))))
            rest = rest.dropFirst(Self.most * 3 / 4)
        }
        while nodes.count > 1 {
            var parents = ContiguousArray<SharedList>()
            for start in stride(from: 0, to: nodes.count, by: Self.most / 2) {
                let end = min(start + Self.most / 2, nodes.count)
                parents.append(SharedList(children: ContiguousArray(nodes[start..<end])))
            }
            nodes = parents
        }
        if let root = nodes.first { self = root }
    }

    private init(elements: ContiguousArray<Element>) {
        (self.elements, count) = (elements, elements.count)
    }

    private init(children: ContiguousArray<SharedList>) {
        self.children = children
        count = children.reduce(0) { $0 + $1.count }
    }

    subscript(index: Int) -> Element {
        get {
            let (leaf, offset) = leaf(at: index)
            return leaf[offset]
        }
        set {
            if children.isEmpty { return elements[index] = newValue }
            let (child, offset) = child(at: index)
            children[child][offset] = newValue
        }
    }

    /// The elements of the leaf that has an index, and its place in them.
    func leaf(at index: Int) -> (elements: ContiguousArray<Element>, offset: Int) {
        if children.isEmpty { return (elements, index) }
        let (child, offset) = child(at: index)
        return children[child].leaf(at: offset)
    }

    /// The child that has an index, the end among them, and the index in it.
    private func child(at index: Int) -> (Int, offset: Int) {
        var (child, offset) = (0, index)
        while child + 1 < children.count, offset >= children[child].count {
            offset -= children[child].count
            child += 1
        }
        return (child, offset)
    }

    /// The index of the first element that does not come before something, in a list that is in order.
    func partition(_ isBefore: (Element) -> Bool) -> Int {
        if children.isEmpty { return elements.indices.partition { isBefore(elements[$0]) } }
        // The last child whose first element comes before it.
        let next = (1..<children.count).partition { isBefore(children[$0][0]) }
        let before = children[..<(next - 1)].reduce(0) { $0 + $1.count }
        return before + children[next - 1].partition(isBefore)
    }

    mutating func insert(_ element: Element, at index: Int) {
        if let right = add(element, at: index) { self = SharedList(children: [self, right]) }
    }

    /// - Returns: The second half, if it was too full for another element.
    private mutating func add(_ element: Element, at index: Int) -> SharedList? {
        count += 1
        if children.isEmpty {
            elements.insert(element, at: index)
        } else {
            let (child, offset) = child(at: index)
            if let right = children[child].add(element, at: offset) {
                children.insert(right, at: child + 1)
            }
        }
        guard size > Self.most else { return nil }
        let half = size / 2
        let right: SharedList
        if children.isEmpty {
            right = SharedList(elements: ContiguousArray(elements[half...]))
            elements.removeSubrange(half...)
        } else {
            right = SharedList(children: ContiguousArray(children[half...]))
            children.removeSubrange(half...)
        }
        count -= right.count
        return right
    }

    @discardableResult
    mutating func remove(at index: Int) -> Element {
        count -= 1
        if children.isEmpty { return elements.remove(at: index) }
        let (child, offset) = child(at: index)
        let removed = children[child].remove(at: offset)
        if children[child].count == 0 {
            children.remove(at: child)
        } else {
            join(child)
            join(child - 1)
        }
        if children.count == 1 { self = children[0] }
        return removed
    }

    /// Removes the elements that are not at some indices; those that stay cost O(log n).
    mutating func removeAll(outside range: Range<Int>) {
        count = range.count
        if children.isEmpty { return elements = ContiguousArray(elements[range]) }
        var start = 0
        for index in children.indices {
            let all = start..<(start + children[index].count)
            let kept = range.clamped(to: all)
            let (first, end) = (kept.lowerBound - start, kept.upperBound - start)
            if kept != all { children[index].removeAll(outside: first..<end) }
            start = all.upperBound
        }
        children.removeAll { $0.count == 0 }
        if children.count == 1 { self = children[0] }
    }

    /// Joins a child with the next one, if both are small.
    private mutating func join(_ child: Int) {
        guard children.indices.contains(child), child + 1 < children.count else { return }
        let next = children[child + 1]
        guard children[child].children.isEmpty == next.children.isEmpty,
            children[child].size + next.size <= Self.most / 2
        else { return }
        children[child].elements += next.elements
        children[child].children += next.children
        children[child].count += next.count
        children.remove(at: child + 1)
    }

    private var size: Int { elements.count + children.count }
}
