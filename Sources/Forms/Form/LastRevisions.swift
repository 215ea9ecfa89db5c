import ModelKitFields
import ModelKitModels

/// When models were last changed, they or any that their fields lead to: each is walked once, however
/// many ask for it.
struct LastRevisions {
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
    mutating func last(of model: any Model) -> UInt64 {
        if let known = known[ObjectIdentifier(model)] { return known.revision }
        // All that are inside and not known yet, and the numbers of those that each is inside of.
        var found: [(model: any Model, last: UInt64, outer: [Int])] = [(model, 0, [])]
        var numbers = [ObjectIdentifier(model): 0]
        var next = 0
        while next < found.count {
            for field in found[next].model.allFields {
                found[next].last = max(found[next].last, field.trackedChangeRevision)
                for (_, inner) in field.heldModels {
                    if let known = known[ObjectIdentifier(inner)] {
                        found[next].last = max(found[next].last, known.revision)
                    } else if let number = numbers[ObjectIdentifier(inner)] {
                        found[number].outer.append(next)
                    } else {
                        numbers[ObjectIdentifier(inner)] = found.count
                        found.append((inner, 0, [next]))
                    }
                }
            }
            next += 1
        }
        // The latest first, so that what reaches a model first is its last revision.
        for start in found.indices.sorted(by: { found[$0].last > found[$1].last }) {
            var open = [start]
            while let number = open.popLast() {
                let (model, _, outer) = found[number]
                if known[ObjectIdentifier(model)] != nil { continue }
                known[ObjectIdentifier(model)] = (model, found[start].last)
                open += outer
            }
        }
        return known[ObjectIdentifier(model)]?.revision ?? 0
    }
}

extension Sequence<AnyField> {
    /// The revision of the last change of any of them, or of a field of a model inside.
    var lastRevision: UInt64 {
        var revisions = LastRevisions()
        return revisions.last(of: self)
    }
}
