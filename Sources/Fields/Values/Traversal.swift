/// The models that an export is inside of, and those of its cycles that it has been through, so that it
/// ends; and the context that it is made in.
///
/// A model inside of itself is only referred to. So is one that was written before and is in a cycle
/// with one that the export is inside of: in a graph where everybody knows everybody there are more
/// ways than can be gone. Any other is written wherever it is, up to a limit: where models share others,
/// and those others again, the ways double with each.
package struct Traversal {
    private struct Step {
        let model: ObjectIdentifier
        /// The outermost model on the way that something inside of this one has referred to.
        var lowest: Int
        /// The models that are in a cycle with this one.
        var cycle: [ObjectIdentifier] = []
    }

    /// The context; nil for the default one.
    package let registry: TransformerRegistry?
    /// Why models were left out.
    package enum Cut: Sendable {
        /// They are too deep inside of others.
        case depth
        /// They were written too often.
        case size
    }

    /// Why the first of the models that were left out was.
    package private(set) var cut: Cut?
    /// Whether models inside of others leave out the fields in which they have those.
    package var leavesOutInverses = false
    /// Finds that field in the models of the field that is written.
    package var inverse: (@Sendable (AnyObject) -> AnyObject?)?
    /// The models on the way from the first one to here.
    private var way: [Step] = []
    /// The models that are in a cycle with one on the way: with which at least.
    private var written: [ObjectIdentifier: Int] = [:]
    /// How often a model of the cycles was written again that cannot be referred to.
    private var repeats = 0
    /// How many models were written inside of the outermost one.
    private var visits = 0
    /// Those of them that came after so many that it began to matter which, and how many of those had come
    /// before.
    private var visited: Set<ObjectIdentifier> = []
    private var copies = 0

    /// So often at most.
    private static var repeatLimit: Int { 1000 }

    /// So many models are written in any case, and the same one so often for each.
    private static var sizeLimit: Int { 1 << 16 }
    private static var copyLimit: Int { 64 }

    /// So many models are written inside of each other: as many levels as JSON may have.
    package static var limit: Int { 512 }

    /// So many models inside of each other fit on any stack.
    private static var harmless: Int { 4 }

    package init(in registry: TransformerRegistry? = nil) {
        self.registry = registry
    }

    /// Whether nil that was set is written.
    package var writesNull: Bool { registry?.explicitNull ?? true }

    /// Runs a closure inside a model, unless that is only to be referred to, or too deep.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - hasName: Whether a reference says which model it is.
    ///   - body: Writes the model.
    package mutating func visit(
        _ model: AnyObject,
        hasName: () -> Bool,
        _ body: (inout Traversal) -> Void
    ) {
        let identity = ObjectIdentifier(model)
        if let position = way.lastIndex(where: { $0.model == identity }) {
            noteReference(to: position)
            return
        }
        if !written.isEmpty, let position = written[identity] {
            if hasName() || repeats >= Self.repeatLimit {
                noteReference(to: position)
                return
            }
            repeats += 1
        }
        let position = way.count
        guard position < Self.limit else { return leaveOut(.depth) }
        if position == 0 {
            (visits, copies, visited) = (0, 0, [])
        } else if isCopiedTooOften(identity) {
            return leaveOut(.size)
        }
        way.append(Step(model: identity, lowest: position))
        if position < Self.harmless {
            body(&self)
        } else {
            DeepStack.run(atDepth: position) { body(&self) }
        }
        end(way.removeLast(), at: position)
    }

    private mutating func leaveOut(_ reason: Cut) {
        if cut == nil { cut = reason }
    }

    /// Whether there are so many ways to so few models that there would be no end.
    private mutating func isCopiedTooOften(_ model: ObjectIdentifier) -> Bool {
        visits += 1
        if visits <= Self.sizeLimit || visited.insert(model).inserted { return false }
        copies += 1
        return copies > Self.sizeLimit && copies > Self.copyLimit * visited.count
    }

    private mutating func noteReference(to position: Int) {
        let last = way.count - 1
        if last >= 0 { way[last].lowest = min(way[last].lowest, position) }
    }

    private mutating func end(_ step: Step, at position: Int) {
        guard step.lowest < position else {
            // Outside of its cycles it may be met again like any other.
            for model in step.cycle { written[model] = nil }
            if written.isEmpty { repeats = 0 }
            return
        }
        noteReference(to: step.lowest)
        written[step.model] = step.lowest
        for model in step.cycle { written[model] = step.lowest }
        way[step.lowest].cycle += step.cycle
        way[step.lowest].cycle.append(step.model)
    }
}
