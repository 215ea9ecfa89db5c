import ModelKitFields

/// Where the values stand in a JSON text that issues are about.
///
/// One pass over the text finds all of them; it goes only into the values that have some.
struct JSONPlaces {
    private(set) var places: [JSONPlace]
    private var counter: PlaceCounter
    private var reader: JSONReader

    /// Which issues are about a value, and which about values in it.
    private final class Node {
        var issues: [Int] = []
        var members: [String: Node] = [:]
        var elements: [Int: Node] = [:]

        func node(_ component: FieldPath.Component) -> Node {
            switch component {
            case .key(let key):
                let node = members[key] ?? Node()
                members[key] = node
                return node
            case .index(let index):
                let node = elements[index] ?? Node()
                elements[index] = node
                return node
            }
        }
    }

    init(
        of issues: [Issue],
        in bytes: UnsafeRawBufferPointer,
        from start: JSONPlace = .start,
        _ options: JSONOptions
    ) {
        counter = PlaceCounter(bytes, from: start)
        places = issues.map { start.with(start.path.appending($0.path)) }
        reader = JSONReader(bytes, options)
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
    }

    private mutating func find(_ node: Node) throws(JSONReader.Failure) {
        // Of a key that comes twice the last value counts, and is found last.
        for index in node.issues {
            places[index] = counter.place(of: reader.position).with(places[index].path)
        }
        switch reader.next {
        case UInt8(ascii: "{") where !node.members.isEmpty:
            try findInside { places, _ throws(JSONReader.Failure) in
                let key = try places.reader.readString()
                places.reader.skipSpace()
                guard places.reader.take(byte: ":") else { throw places.reader.expected("':'") }
                places.reader.skipSpace()
                return node.members[key]
            }
        case UInt8(ascii: "[") where !node.elements.isEmpty:
            try findInside { _, index throws(JSONReader.Failure) in node.elements[index] }
        default: _ = try reader.readValue()
        }
    }

    private mutating func findInside(
        _ begin: (inout JSONPlaces, _ index: Int) throws(JSONReader.Failure) -> Node?
    ) throws(JSONReader.Failure) {
        reader.position += 1
        reader.skipSpace()
        var index = 0
        while reader.next != UInt8(ascii: "}"), reader.next != UInt8(ascii: "]") {
            if let node = try begin(&self, index) {
                try find(node)
            } else {
                _ = try reader.readValue()
            }
            reader.skipSpace()
            if reader.take(byte: ",") { reader.skipSpace() }
            index += 1
        }
        reader.position += 1
    }
}
