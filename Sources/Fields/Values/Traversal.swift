/// The models that an export is inside of, and those of its cycles that it has been through, so that it
/// ends; and the context that it is made in.
///
/// A model inside of itself is only referred to. So is one that was written before and is in a cycle
/// with one that the export is inside of: in a graph where everybody knows everybody there are more
/// ways than can be gone.
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
    /// Whether there were models so deep inside of others that they were left out.
    package private(set) var isCut = false
    /// The models on the way from the first one to here.
    private var way: [Step] = []
    /// The models that are in a cycle with one on the way: with which at least.
    private var written: [ObjectIdentifier: Int] = [:]
    /// How often a model was written again that cannot be referred to.
    private var repeats = 0

    /// So often at most.
    private static var repeatLimit: Int { 1000 }

    /// So many models are written inside of each other: as many levels as JSON may have.
    private static var limit: Int { 512 }

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
    ///   - hasName: Whether a reference tells which model it is.
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
        guard position < Self.limit else {
            isCut = true
            return
        }
        way.append(Step(model: identity, lowest: position))
        if position < Self.harmless {
            body(&self)
        } else {
            DeepStack.run(atDepth: position) { body(&self) }
        }
        end(way.removeLast(), at: position)
    }

    private mutating func noteReference(to position: Int) {
        let last = way.count - 1
        if last >= 0 { way[last].lowest = min(way[last].lowest, position) }
    }

    private mutating func end(_ step: Step, at position: Int) {
        guard step.lowest < position else {
            // Outside of its cycles it may be met again like any other.
            for model in step.cycle { written[model] = nil }
            return
        }
        noteReference(to: step.lowest)
        written[step.model] = step.lowest
        for model in step.cycle { written[model] = step.lowest }
        way[step.lowest].cycle += step.cycle
        way[step.lowest].cycle.append(step.model)
    }
}
