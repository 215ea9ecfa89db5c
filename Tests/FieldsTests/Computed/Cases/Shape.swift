import ModelKitFields
import Testing

/// A graph of fields, and of computed fields that add up what they read.
struct Shape: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let fieldCount: Int
    /// What each computed field reads: fields are counted first, then computed fields.
    let reads: [[Int]]
    /// Those that read, and give the same number always.
    let constants: Set<Int>

    init(_ name: String, fields: Int = 1, _ reads: [[Int]], constants: Set<Int> = []) {
        testDescription = name
        fieldCount = fields
        self.reads = reads
        self.constants = constants
    }

    static let all = [
        Shape("chain", [[0], [1], [2]]),
        Shape("chain with a constant", [[0], [1], [2], [3]], constants: [2]),
        Shape("diamond", [[0], [0], [1, 2]]),
        Shape("diamond with a tail", [[0], [0], [1, 2], [3]]),
        Shape("jagged diamond with tails", [[0], [0], [2], [1, 3], [4], [4]]),
        Shape("edge past a node", [[0], [0, 1], [2]]),
        Shape("edge past a chain", [[0], [1], [0, 2]]),
        Shape("diamond with a constant arm", [[0], [0], [1, 2]], constants: [2]),
        Shape("diamond with constant arms", [[0], [0], [1, 2]], constants: [1, 2]),
        Shape("three arms, two constant", [[0], [0], [0], [1, 2, 3]], constants: [2, 3]),
        Shape("linear convergence", [[0], [0, 1], [0, 2]]),
        Shape("exponential convergence", [[0], [1, 0], [2, 1], [3, 2]]),
        Shape("fan-in", fields: 2, [[0, 1]]),
        Shape("crossed diamond", fields: 2, [[0, 1], [0, 1], [2, 3]]),
        Shape("stacked diamonds", [[0], [0], [1, 2], [3], [3], [4, 5]]),
        Shape("arms of different length", [[0], [1], [2], [0], [3, 4]]),
        Shape("fan-out", [[0], [0], [0], [0], [0], [0]]),
    ]

    func value(of node: Int, adding inputs: [Int]) -> Int {
        constants.contains(node) ? 7 : inputs.reduce(0, +)
    }

    /// The values of the computed fields, worked out anew.
    func values(with fields: [Int]) -> [Int] {
        var values = fields
        for read in reads {
            values.append(value(of: values.count, adding: read.map { values[$0] }))
        }
        return Array(values.dropFirst(fieldCount))
    }

    /// How often each must run when all fields have changed: once, if what it reads has.
    var runs: [Int] {
        var hasChanged = Array(repeating: true, count: fieldCount)
        return reads.map { read in
            let mustRun = read.contains { hasChanged[$0] }
            hasChanged.append(mustRun && !constants.contains(hasChanged.count))
            return mustRun ? 1 : 0
        }
    }
}

/// The fields of a shape; all hold 1.
final class ShapedGraph {
    let fields: [Field<Int>]
    private(set) var nodes: [Tallied<Int>] = []
    /// The nodes in the order in which their computations ended.
    let order = Log<Int>()

    init(_ shape: Shape) {
        fields = (0..<shape.fieldCount).map { _ in Field<Int>(value: 1) }
        for (index, reads) in shape.reads.enumerated() {
            let node = shape.fieldCount + index
            let sources = reads.map { read -> @Sendable () -> Int? in
                if read < shape.fieldCount { return { [field = fields[read]] in field.value } }
                return { [source = nodes[read - shape.fieldCount]] in source.value }
            }
            nodes.append(
                Tallied { [order] in
                    let value = shape.value(of: node, adding: sources.map { $0() ?? 0 })
                    order.add(node)
                    return value
                }
            )
        }
    }

    var values: [Int?] { nodes.map(\.value) }

    /// How often each has run since the counts were these.
    func runs(since before: [Int]) -> [Int] { zip(nodes, before).map { $0.runs - $1 } }
}
