import ModelKitFields

/// Where the values stand in a JSON text that issues are about.
///
/// One pass over the text finds all of them; it goes only into the values that have some. What is not
/// in the text has the place of the nearest value around it that is.
struct JSONPlaces {
    private(set) var places: [JSONPlace]
    private var reader: JSONReader

    /// Which issues are about a value, and which about values in it.
    private final class Node {
        var issues: [Int] = []
        /// Where the value begins; nil if it was not found.
        var offset: Int?
        var inner: [FieldPath.Component: Node] = [:]

        func node(_ component: FieldPath.Component) -> Node {
            let node = inner[component] ?? Node()
            inner[component] = node
            return node
        }

        /// The issues in the order of the text, and the offset of each.
        var found: [(offset: Int, issue: Int)] {
            var found: [(offset: Int, issue: Int)] = []
            var waiting = [(node: self, around: 0)]
            while let (node, around) = waiting.popLast() {
                // Where a key comes twice, a value in the first one is before the second, which counts.
                let offset = max(node.offset ?? around, around)
                found += node.issues.map { (offset, $0) }
                waiting += node.inner.values.map { ($0, offset) }
            }
            return found.sorted { $0 < $1 }
        }
    }

    init(
        of issues: [Issue],
        in bytes: UnsafeRawBufferPointer,
        from start: JSONPlace = .start,
        _ options: JSONOptions
    ) {
        places = issues.map { start.with(start.path.appending($0.path)) }
        reader = JSONReader(bytes, options)
        reader.wideNumbers = .used { _, _ in .text }
        let root = Node()
        for (index, issue) in issues.enumerated() {
            issue.path.components.reduce(root) { $0.node($1) }.issues.append(index)
        }
        do throws(JSONReader.Failure) {
            reader.skipSpace()
            try find(root)
        } catch {
            // The text was read before: there is no such error.
        }
        var counter = PlaceCounter(bytes, from: start)
        for (offset, issue) in root.found {
            places[issue] = counter.place(of: offset).with(places[issue].path)
        }
    }

    /// What is open of the values that have some in them.
    private struct Level {
        let node: Node
        let isObject: Bool
        var index = 0
    }

    /// Without recursion: issues may be as deep as the text is.
    private mutating func find(_ root: Node) throws(JSONReader.Failure) {
        var levels: [Level] = []
        var next: Node? = root
        while true {
            if let level = try begin(next) {
                levels.append(level)
            } else {
                reader.skipSpace()
            }
            // What has ended leads to what ends with it.
            while let level = levels.last, reader.take(byte: level.isObject ? "}" : "]") {
                levels.removeLast()
                reader.skipSpace()
            }
            guard let last = levels.indices.last else { return }
            if reader.take(byte: ",") { reader.skipSpace() }
            next = try beginElement(of: &levels[last])
        }
    }

    /// Reads a value, or what it begins with, if there are issues in it.
    private mutating func begin(_ node: Node?) throws(JSONReader.Failure) -> Level? {
        // Of a key that comes twice the last value counts, and is found last.
        node?.offset = reader.position
        let isObject = reader.next == UInt8(ascii: "{")
        guard let node, !node.inner.isEmpty, isObject || reader.next == UInt8(ascii: "[") else {
            _ = try reader.readValue()
            return nil
        }
        reader.position += 1
        reader.skipSpace()
        return Level(node: node, isObject: isObject)
    }

    /// Moves to the next value of an array or object.
    private mutating func beginElement(of level: inout Level) throws(JSONReader.Failure) -> Node? {
        defer { level.index += 1 }
        guard level.isObject else { return level.node.inner[.index(level.index)] }
        let key = try reader.readString()
        reader.skipSpace()
        guard reader.take(byte: ":") else { throw reader.expected("':'") }
        reader.skipSpace()
        return level.node.inner[.key(key)]
    }
}
