package import ModelKitValues

/// A model that is being validated, and those that it is inside of.
///
/// What is wrong with a model that is through is known to the rest of the run, so that each is validated
/// once, however many ways lead to it: in a graph where everybody knows everybody there are more ways
/// than can be gone.
package final class ValidationStep: Sendable {
    /// The innermost one that the task is in.
    package static var current: ValidationStep? { ValidationPath.current.step }

    private let model: any AnyObject & Sendable
    private let depth: Int
    private let outer: ValidationStep?
    private let run: Run
    private let conditions: ValidationPath.Conditions

    private init(_ model: any AnyObject & Sendable, inside path: ValidationPath) {
        self.model = model
        conditions = path.conditions
        outer = path.step
        depth = outer.map { $0.depth + 1 } ?? 0
        run = outer?.run ?? Run()
    }

    /// Validates a model inside of the one that the task is in, if there is one.
    ///
    /// Inside of itself nothing is wrong with it, so that a cycle ends. Where it is met again it has
    /// what was found at first, but at most 16 issues: on every way to it they are reported again. If it was
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
        let path = ValidationPath.current
        let step = ValidationStep(model, inside: path)
        if let known = step.known(at: revision) { return known }
        var issues: [Issue] = []
        let scope = path.conditions.scope
        let before = scope?.noteCount
        path.run(step) { DeepStack.run(atDepth: step.depth) { issues = find() } }
        if step.outer == nil {
            step.run.leave()
        } else {
            step.end(issues, at: revision(), isPending: scope?.noteCount != before)
        }
        return issues
    }

    private var identity: ObjectIdentifier { ObjectIdentifier(model) }

    /// What is wrong with the model as far as the run knows; nil where it has to be validated, and is entered.
    private func known(at revision: () -> UInt64) -> [Issue]? {
        guard let outer else { return nil }
        let (record, other, lowest) = run.state.withLock { state in
            // Not before: most models have none inside.
            if state.way.isEmpty { state.enter(outer) }
            guard let record = state.records[identity] else {
                state.enter(self)
                return (Record?.none, ValidationStep?.none, Int?.none)
            }
            let lowest = record.known?.cycle.flatMap { state.cycles[state.whole($0)].lowest }
            return (record, record.depth.map { state.way[$0].step }, lowest)
        }
        guard let record else { return nil }
        if let other {
            noteReturn(to: other.depth, isAlike: other.conditions == conditions)
            return []
        }
        guard let known = record.known, known.conditions == conditions,
            record.count >= 16 || known.revision == revision()
        else {
            run.state.withLock { $0.enter(self) }
            return nil
        }
        if let lowest { noteReturn(to: lowest, isAlike: true) }
        // Whoever has it waits for the same answers.
        if known.isPending { conditions.scope?.noteAgain() }
        return known.issues
    }

    private func noteReturn(to depth: Int, isAlike: Bool) {
        guard let outer else { return }
        run.state.withLock { $0.way[outer.depth].noteReturn(to: depth, isAlike: isAlike) }
    }

    private func end(_ issues: [Issue], at revision: UInt64, isPending: Bool) {
        var found = Known(
            issues: issues.first(16),
            conditions: conditions,
            model: model,
            revision: revision,
            isPending: isPending
        )
        let forgotten = run.state.withLock { state -> (Place?, [Known?]) in
            guard let place = state.way.popLast() else { return (nil, []) }
            let isClean = place.isAlike && issues.isEmpty && !isPending
            if place.lowest < depth, let outer {
                state.way[outer.depth].noteReturn(to: place.lowest, isAlike: true)
                let cycle = state.joined(place.cycle, state.way[place.lowest].cycle)
                state.cycles[cycle].add(identity, isClean: isClean, place.lowest)
                state.way[place.lowest].cycle = cycle
                found.cycle = cycle
                return (place, [state.records[identity, default: Record()].end(found)])
            }
            let old = state.records[identity, default: Record()].end(found)
            guard let cycle = place.cycle.map({ state.whole($0) }) else { return (place, [old]) }
            state.cycles[cycle].lowest = nil
            if isClean, state.cycles[cycle].isClean { return (place, [old]) }
            // Outside of its cycles a model may be another: what was left out there is not here. But
            // where each knows each there is no end of that.
            return (place, [old] + state.cycles[cycle].models.map { state.forget($0) })
        }
        withExtendedLifetime(forgotten) {}
    }

    /// What the whole validation knows.
    private final class Run: Sendable {
        /// The lock is let go of before models are.
        let state = Guarded(State())

        /// Leaves the outermost step, if it was entered.
        func leave() {
            let place = state.withLock { $0.way.popLast() }
            withExtendedLifetime(place) {}
        }
    }

    private struct State: Sendable {
        /// The steps that the task is in, outermost first.
        var way: [Place] = []
        var records: [ObjectIdentifier: Record] = [:]
        var cycles: [Cycle] = []

        mutating func enter(_ step: ValidationStep) {
            records[step.identity, default: Record()].depth = way.count
            way.append(Place(step))
        }

        /// Has a model of a cycle validated again, unless it was too often.
        ///
        /// - Returns: What was known of it.
        mutating func forget(_ model: ObjectIdentifier) -> Known? {
            guard let record = records[model], record.count < 16 else { return nil }
            records[model]?.known = nil
            return record.known
        }

        /// The cycle that one is a part of by now.
        func whole(_ cycle: Int) -> Int {
            var cycle = cycle
            while let greater = cycles[cycle].greater { cycle = greater }
            return cycle
        }

        /// One of two, which is the greater one from now on; a new one if there is none.
        mutating func joined(_ left: Int?, _ right: Int?) -> Int {
            guard let left = (left ?? right).map({ whole($0) }) else {
                cycles.append(Cycle())
                return cycles.count - 1
            }
            guard let right = right.map({ whole($0) }), right != left else { return left }
            let (small, great) =
                cycles[left].models.count < cycles[right].models.count
                ? (left, right) : (right, left)
            let part = cycles[small]
            cycles[small] = Cycle(greater: great)
            cycles[great].models += part.models
            cycles[great].isClean = cycles[great].isClean && part.isClean
            return great
        }
    }

    /// A step that the task is in.
    private struct Place: Sendable {
        let step: ValidationStep
        /// The depth of the outermost model on the way that something inside of this one has led back to.
        private(set) var lowest: Int
        /// Whether that was validated on the same conditions.
        private(set) var isAlike = true
        /// The models that are in a cycle with this one.
        var cycle: Int?

        init(_ step: ValidationStep) {
            self.step = step
            lowest = step.depth
        }

        mutating func noteReturn(to depth: Int, isAlike: Bool) {
            lowest = min(lowest, depth)
            if !isAlike { self.isAlike = false }
        }
    }

    /// Models that are in cycles with each other.
    private struct Cycle: Sendable {
        var models: [ObjectIdentifier] = []
        /// Whether nothing is wrong with any of them.
        var isClean = true
        /// The depth of the outermost model that they lead back to; nil once that is validated.
        var lowest: Int?
        /// The greater one that it has become a part of.
        var greater: Int?

        mutating func add(_ model: ObjectIdentifier, isClean: Bool, _ lowest: Int) {
            models.append(model)
            self.isClean = self.isClean && isClean
            self.lowest = lowest
        }
    }

    /// What the run has of a model.
    private struct Record: Sendable {
        /// Where its step is, while the task is in it.
        var depth: Int?
        /// How often it was validated.
        var count = 0
        var known: Known?

        /// - Returns: What was known before.
        mutating func end(_ found: Known) -> Known? {
            (depth, count) = (nil, count + 1)
            defer { known = found }
            return known
        }
    }

    private struct Known: Sendable {
        let issues: [Issue]
        let conditions: ValidationPath.Conditions
        /// Held, so that no other model gets its place in memory.
        let model: any AnyObject & Sendable
        /// That of the last set of the model.
        let revision: UInt64
        /// Whether async rules have not answered yet.
        let isPending: Bool
        var cycle: Int?
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
