import ModelKitFields
import ModelKitModels

/// When models were last changed, they or any that their fields lead to: each is walked once, however
/// many ask for it.
struct LastRevisions {
    private struct Node {
        let model: any Model
        let inside: [any Model]
        /// How many of those inside were gone into.
        var next = 0
        var last: UInt64
        /// The first node on the way that something inside leads back to.
        var lowest: Int
    }

    /// Held, so that no other model gets the place of one in memory.
    private var known: [ObjectIdentifier: (model: any Model, revision: UInt64)] = [:]

    /// The revision of the last change of any of some fields, or of a field of a model inside.
    mutating func last(of fields: some Sequence<AnyField>) -> UInt64 {
        var last: UInt64 = 0
        for field in fields {
            last = max(last, field.trackedChangeRevision)
            for (_, model) in field.heldModels { last = max(last, self.last(of: model)) }
        }
        return last
    }

    /// The revision of the last change of any field of a model, or of one inside.
    ///
    /// Models that lead to each other have the same, so they are found together, as the strongly connected
    /// components of a graph are (Tarjan 1972).
    mutating func last(of model: any Model) -> UInt64 {
        if let known = known[ObjectIdentifier(model)] { return known.revision }
        let first = Self.node(of: model, number: 0)
        if first.inside.isEmpty {
            known[ObjectIdentifier(model)] = (model, first.last)
            return first.last
        }
        var nodes = [first]
        var numbers = [ObjectIdentifier(model): 0]
        var way = [0]
        var open = [0]
        var last: UInt64 = 0
        while let number = way.last {
            if nodes[number].next < nodes[number].inside.count {
                let inner = nodes[number].inside[nodes[number].next]
                nodes[number].next += 1
                if let known = known[ObjectIdentifier(inner)] {
                    nodes[number].last = max(nodes[number].last, known.revision)
                } else if let other = numbers[ObjectIdentifier(inner)] {
                    nodes[number].lowest = min(nodes[number].lowest, other)
                } else {
                    numbers[ObjectIdentifier(inner)] = nodes.count
                    way.append(nodes.count)
                    open.append(nodes.count)
                    nodes.append(Self.node(of: inner, number: nodes.count))
                }
                continue
            }
            way.removeLast()
            let lowest = nodes[number].lowest
            last = nodes[number].last
            if lowest == number {
                let start = open.lastIndex(of: number) ?? 0
                last = open[start...].lazy.map { nodes[$0].last }.max() ?? last
                for member in open[start...] {
                    let model = nodes[member].model
                    known[ObjectIdentifier(model)] = (model, last)
                }
                open.removeSubrange(start...)
            }
            if let outer = way.last {
                nodes[outer].lowest = min(nodes[outer].lowest, lowest)
                nodes[outer].last = max(nodes[outer].last, last)
            }
        }
        return last
    }

    private static func node(of model: any Model, number: Int) -> Node {
        var last: UInt64 = 0
        var inside: [any Model] = []
        for field in model.allFields {
            last = max(last, field.trackedChangeRevision)
            inside += field.heldModels.map(\.model)
        }
        return Node(model: model, inside: inside, last: last, lowest: number)
    }
}

extension Sequence<AnyField> {
    /// The revision of the last change of any of them, or of a field of a model inside.
    var lastRevision: UInt64 {
        var revisions = LastRevisions()
        return revisions.last(of: self)
    }
}
