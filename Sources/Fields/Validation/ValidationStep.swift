package import ModelKitValues

/// A model that is being validated, and those that it is inside of.
///
/// What is wrong with a model that is through is known to the rest of the run, so that each is validated
/// once, however many ways lead to it: in a graph where everybody knows everybody there are more ways
/// than can be gone.
// Safe: its variables are guarded by the lock of the run, which is let go of before models are.
package final class ValidationStep: @unchecked Sendable {
    @TaskLocal static var innermost: ValidationStep?

    /// The innermost one that the task is in.
    ///
    /// A task that was begun in the meantime is no part of the validation.
    package static var current: ValidationStep? {
        innermost.flatMap { $0.task.isCurrent ? $0 : nil }
    }

    private let model: any AnyObject & Sendable
    private let depth: Int
    private let outer: ValidationStep?
    private let run: Run
    private let conditions = Conditions()
    private let task = TaskIdentity()
    /// The depth of the outermost model on the way that something inside of this one has led back to.
    private var lowest: Int
    /// Whether that was validated on the same conditions.
    private var isAlike = true
    /// The models that are in a cycle with this one.
    private var cycle: Cycle?

    private init(_ model: any AnyObject & Sendable, inside outer: ValidationStep?) {
        self.model = model
        self.outer = outer
        depth = outer.map { $0.depth + 1 } ?? 0
        lowest = depth
        run = outer?.run ?? Run()
        // Not before: most models have none inside.
        if let outer, outer.outer == nil { run.begin(at: outer) }
    }

    /// Validates a model inside of the one that the task is in, if there is one.
    ///
    /// Inside of itself nothing is wrong with it, so that a cycle ends. Where it is met again it has
    /// what was found at first, but at most 16 issues: on every way to it they are told again. If it was
    /// set since, it is validated again, but not without end, as each way may set it.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - revision: Gives the revision of its last set.
    ///   - find: Validates it.
    /// - Returns: What is wrong with it.
    package static func issues(
        of model: any AnyObject & Sendable,
        revision: () -> UInt64,
        _ find: () -> [Issue]
    ) -> [Issue] {
        let step = ValidationStep(model, inside: current)
        if let known = step.known(at: revision) { return known }
        var issues: [Issue] = []
        let scope = step.conditions.scope
        let before = scope?.noteCount
        if step.outer != nil { step.run.enter(step) }
        $innermost.withValue(step) { DeepStack.run(atDepth: step.depth) { issues = find() } }
        step.task.end()
        step.run.leave(step)
        if step.outer != nil {
            step.end(issues, at: revision(), isPending: scope?.noteCount != before)
        }
        return issues
    }

    private var identity: ObjectIdentifier { ObjectIdentifier(model) }

    /// What is wrong with the model as far as the run knows; nil where it has to be validated.
    private func known(at revision: () -> UInt64) -> [Issue]? {
        if outer == nil { return nil }
        let (other, known, lowest, count) = run.lock.withLock {
            let known = run.known[identity]
            let other = run.depths[identity].map { run.way[$0] }
            return (other, known, known?.cycle?.whole.lowest, run.counts[identity, default: 0])
        }
        if let other {
            noteReturn(to: other.depth, isAlike: other.conditions == conditions)
            return []
        }
        guard let known, known.conditions == conditions,
            count >= 16 || known.revision == revision()
        else { return nil }
        if let lowest { noteReturn(to: lowest, isAlike: true) }
        // Whoever has it waits for the same answers.
        if known.isPending { conditions.scope?.noteAgain() }
        return known.issues
    }

    private func noteReturn(to depth: Int, isAlike: Bool) {
        guard let outer else { return }
        run.lock.withLock {
            outer.lowest = min(outer.lowest, depth)
            if !isAlike { outer.isAlike = false }
        }
    }

    private func end(_ issues: [Issue], at revision: UInt64, isPending: Bool) {
        var found = Known(issues.first(16), conditions, model, revision, isPending: isPending)
        let forgotten = run.lock.withLock { () -> [Known?] in
            let isClean = isAlike && issues.isEmpty && !isPending
            run.counts[identity, default: 0] += 1
            if lowest < depth, let outer {
                outer.lowest = min(outer.lowest, lowest)
                let first = run.way[lowest]
                let cycle = Cycle.joining(cycle, first.cycle)
                cycle.add(identity, isClean: isClean, lowest)
                first.cycle = cycle
                found.cycle = cycle
                return [run.known.updateValue(found, forKey: identity)]
            }
            let old = run.known.updateValue(found, forKey: identity)
            guard let cycle = cycle?.whole else { return [old] }
            cycle.lowest = nil
            if isClean, cycle.isClean { return [old] }
            // Outside of its cycles a model may be another: what was left out there is not here. But
            // where each knows each there is no end of that.
            return [old]
                + cycle.models.filter { run.counts[$0, default: 0] < 16 }
                .map { run.known.removeValue(forKey: $0) }
        }
        withExtendedLifetime(forgotten) {}
    }

    /// What the whole validation knows.
    // Safe: its variables are guarded by `lock`.
    private final class Run: @unchecked Sendable {
        let lock = Lock()
        /// The steps that the task is in, outermost first, and where those of the models are there.
        var way: [ValidationStep] = []
        var depths: [ObjectIdentifier: Int] = [:]
        var known: [ObjectIdentifier: Known] = [:]
        /// How often each model was validated.
        var counts: [ObjectIdentifier: Int] = [:]

        /// Enters the outermost step, unless that was done.
        func begin(at step: ValidationStep) {
            if lock.withLock({ way.isEmpty }) { enter(step) }
        }

        func enter(_ step: ValidationStep) {
            lock.withLock {
                depths[step.identity] = way.count
                way.append(step)
            }
        }

        func leave(_ step: ValidationStep) {
            lock.withLock {
                if way.isEmpty { return }
                depths[step.identity] = nil
                way.removeLast()
            }
        }
    }

    /// Models that are in cycles with each other.
    // Safe: its variables are guarded by the lock of the run.
    private final class Cycle: @unchecked Sendable {
        private(set) var models: [ObjectIdentifier] = []
        /// Whether nothing is wrong with any of them.
        private(set) var isClean = true
        /// The depth of the outermost model that they lead back to; nil once that is validated.
        var lowest: Int?
        /// The greater one that it has become a part of.
        private var greater: Cycle?

        var whole: Cycle {
            var cycle = self
            while let greater = cycle.greater { cycle = greater }
            return cycle
        }

        /// One of two, which is the greater one from now on; a new one if there is none.
        static func joining(_ left: Cycle?, _ right: Cycle?) -> Cycle {
            guard let left = left?.whole else { return right?.whole ?? Cycle() }
            guard let right = right?.whole, right !== left else { return left }
            let (small, great) =
                left.models.count < right.models.count ? (left, right) : (right, left)
            great.models += small.models
            great.isClean = great.isClean && small.isClean
            (small.models, small.greater) = ([], great)
            return great
        }

        func add(_ model: ObjectIdentifier, isClean: Bool, _ lowest: Int) {
            models.append(model)
            self.isClean = self.isClean && isClean
            self.lowest = lowest
        }
    }

    private struct Known {
        let issues: [Issue]
        let conditions: Conditions
        /// Held, so that no other model gets its place in memory.
        let model: any AnyObject & Sendable
        /// That of the last set of the model.
        let revision: UInt64
        /// Whether async rules have not answered yet.
        let isPending: Bool
        var cycle: Cycle?

        init(
            _ issues: [Issue],
            _ conditions: Conditions,
            _ model: any AnyObject & Sendable,
            _ revision: UInt64,
            isPending: Bool
        ) {
            self.issues = issues
            self.conditions = conditions
            self.model = model
            self.revision = revision
            self.isPending = isPending
        }
    }

    /// What else a validation depends on, which a check may change for what it validates itself.
    private struct Conditions: Equatable {
        let keepsNothing = ValidationPath.keepsNothing
        let scope = CheckScope.current

        static func == (left: Conditions, right: Conditions) -> Bool {
            left.keepsNothing == right.keepsNothing && left.scope === right.scope
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
