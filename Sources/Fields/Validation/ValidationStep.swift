/// A model that is being validated, and those that it is inside of.
///
/// What is wrong with a model that is through is known to the rest of the run, so that each is validated
/// once, however many ways lead to it: in a graph where everybody knows everybody there are more ways
/// than can be gone.
// Safe: its variables are guarded by the lock of the run, which is let go of before models are.
package final class ValidationStep: @unchecked Sendable {
    /// The innermost one that the task is in.
    @TaskLocal package static var current: ValidationStep?

    private let model: any AnyObject & Sendable
    private let depth: Int
    private let outer: ValidationStep?
    private let run: Run
    /// The depth of the outermost model on the way that something inside of this one has led back to.
    private var lowest: Int
    /// The models that are in a cycle with this one.
    private var cycle: [ObjectIdentifier] = []

    private init(_ model: any AnyObject & Sendable, inside outer: ValidationStep?) {
        self.model = model
        self.outer = outer
        depth = outer.map { $0.depth + 1 } ?? 0
        lowest = depth
        run = outer?.run ?? Run()
    }

    /// Validates a model inside of the one that the task is in, if there is one.
    ///
    /// Inside of itself nothing is wrong with it, so that a cycle ends. Where it is met again it has
    /// what was found at first, but at most 16 issues: on every way to it they are told again.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - find: Validates it.
    /// - Returns: What is wrong with it.
    package static func issues(
        of model: any AnyObject & Sendable,
        _ find: () -> [Issue]
    ) -> [Issue] {
        let step = ValidationStep(model, inside: current)
        guard step.outer != nil else { return $current.withValue(step, operation: find) }
        let conditions = Conditions()
        if let known = step.known(conditions) { return known }
        var issues: [Issue] = []
        $current.withValue(step) { DeepStack.run(atDepth: step.depth) { issues = find() } }
        step.end(issues, conditions)
        return issues
    }

    private var identity: ObjectIdentifier { ObjectIdentifier(model) }

    /// The step of a depth, which is this one's or less.
    private func step(at depth: Int) -> ValidationStep {
        var step = self
        while step.depth > depth, let outer = step.outer { step = outer }
        return step
    }

    /// What is wrong with the model as far as the run knows; nil where it has to be validated.
    private func known(_ conditions: Conditions) -> [Issue]? {
        var other = outer
        while let step = other, step.model !== model { other = step.outer }
        if let other {
            noteReturn(to: other.depth)
            return []
        }
        let known = run.lock.withLock { run.known[identity] }
        guard let known, known.conditions == conditions else { return nil }
        noteReturn(to: known.lowest)
        return known.issues
    }

    private func noteReturn(to depth: Int) {
        guard let outer else { return }
        run.lock.withLock { outer.lowest = min(outer.lowest, depth) }
    }

    private func end(_ issues: [Issue], _ conditions: Conditions) {
        var found = Known(issues.first(16), conditions, model)
        let forgotten = run.lock.withLock { () -> [Known?] in
            guard lowest < depth, let outer else {
                // Outside of its cycles a model may be another: what was left out there is not here.
                let forgotten = cycle.map { run.known.removeValue(forKey: $0) }
                return forgotten + [run.known.updateValue(found, forKey: identity)]
            }
            outer.lowest = min(outer.lowest, lowest)
            found.lowest = lowest
            let old = run.known.updateValue(found, forKey: identity)
            for model in cycle { run.known[model]?.lowest = lowest }
            outer.step(at: lowest).cycle += cycle + [identity]
            return [old]
        }
        withExtendedLifetime(forgotten) {}
    }

    /// What the whole validation knows.
    // Safe: `known` is guarded by `lock`.
    private final class Run: @unchecked Sendable {
        let lock = Lock()
        var known: [ObjectIdentifier: Known] = [:]
    }

    private struct Known {
        let issues: [Issue]
        let conditions: Conditions
        /// Held, so that no other model gets its place in memory.
        let model: any AnyObject & Sendable
        var lowest = Int.max

        init(_ issues: [Issue], _ conditions: Conditions, _ model: any AnyObject & Sendable) {
            self.issues = issues
            self.conditions = conditions
            self.model = model
        }
    }

    /// What else a validation depends on, which a check may change for what it validates itself.
    private struct Conditions: Equatable {
        let keepsNothing = ValidationPath.keepsNothing
        let contexts = ValidationContext.current
        let scope = CheckScope.current

        static func == (left: Conditions, right: Conditions) -> Bool {
            left.keepsNothing == right.keepsNothing && left.contexts == right.contexts
                && left.scope === right.scope
        }
    }
}

extension [Issue] {
    /// Some of them, errors before warnings if there are more.
    fileprivate func first(_ count: Int) -> [Issue] {
        if self.count <= count { return self }
        let errors = filter { [$0].isBlocking }
        return Array((errors + filter { ![$0].isBlocking }).prefix(count))
    }
}
