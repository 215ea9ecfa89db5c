package import ModelKitValues

/// The models that a validation has met, and those that it is inside of.
///
/// What is wrong with a model that is through is known to the rest of the run, so that each is validated
/// once, however many ways lead to it: in a graph where everybody knows everybody there are more ways
/// than can be gone.
package final class ValidationRun: Sendable {
    /// Where the fields are noted that wait for answers, if the task validates a model.
    package static var scope: CheckScope? {
        let path = ValidationPath.current
        return path.models == nil ? nil : path.conditions.scope
    }

    /// The lock is released before models are.
    private let state: Guarded<State>

    private init(_ model: any AnyObject & Sendable, _ conditions: ValidationPath.Conditions) {
        state = Guarded(State(outermost: model, conditions: conditions))
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
    ///   - find: Validates it; given whether the fields are to keep nothing of that.
    /// - Returns: What is wrong with it.
    package static func issues(
        of model: any AnyObject & Sendable,
        revision: () -> UInt64,
        _ find: (_ keepsNothing: Bool) -> [Issue]
    ) -> [Issue] {
        let path = ValidationPath.current
        var conditions = path.conditions
        if let run = path.models {
            return run.issues(of: model, on: conditions, revision, find)
        }
        if conditions.scope == nil { conditions.scope = CheckScope(askingAgain: true) }
        return ValidationPath.run(ValidationRun(model, conditions), conditions) {
            find(conditions.keepsNothing)
        }
    }

    /// The same inside of another model.
    private func issues(
        of model: any AnyObject & Sendable,
        on conditions: ValidationPath.Conditions,
        _ revision: () -> UInt64,
        _ find: (_ keepsNothing: Bool) -> [Issue]
    ) -> [Issue] {
        let depth: Int
        switch state.withLock({ $0.meet(model, conditions) }) {
        case .isInside: return []
        case .isEntered(let entered): depth = entered
        case .isKnown(let index, let known, let isFinal, let lowest):
            guard isFinal || known.revision == revision() else {
                depth = state.withLock { $0.enter(index, conditions) }
                break
            }
            if let lowest { state.withLock { $0.noteReturn(to: lowest, isAlike: true) } }
            // Whoever has it waits for the same answers.
            if known.isPending { conditions.scope?.noteAgain() }
            return known.issues
        }
        var issues: [Issue] = []
        let before = conditions.scope?.noteCount
        // What the task is in, the run knows: it is on one way at a time.
        DeepStack.run(atDepth: depth) { issues = find(conditions.keepsNothing) }
        let found = Known(
            issues: issues.first(16),
            conditions: conditions,
            revision: revision(),
            isPending: conditions.scope?.noteCount != before
        )
        let forgotten = state.withLock { $0.leave(found, isClean: issues.isEmpty) }
        withExtendedLifetime(forgotten) {}
        return issues
    }

    private enum Meeting {
        case isInside
        case isEntered(depth: Int)
        /// It is known, unless it was set since and is not validated too often already.
        case isKnown(Int, Known, isFinal: Bool, lowest: Int?)
    }

    private struct State: Sendable {
        private let outermost: any AnyObject & Sendable
        private let conditions: ValidationPath.Conditions
        /// The models that the task is in, outermost first; none before there is one inside of another, as
        /// most have none inside.
        private var way: [Place] = []
        private var records: [Record] = []
        /// Where the record of each model is, if there are many.
        private var places: [ObjectIdentifier: Int] = [:]
        private var cycles: [Cycle] = []

        init(outermost: any AnyObject & Sendable, conditions: ValidationPath.Conditions) {
            (self.outermost, self.conditions) = (outermost, conditions)
        }

        /// Enters a model that is not known.
        mutating func meet(
            _ model: any AnyObject & Sendable,
            _ conditions: ValidationPath.Conditions
        ) -> Meeting {
            if way.isEmpty {
                records.reserveCapacity(8)
                way.reserveCapacity(4)
                _ = enter(add(outermost), self.conditions)
            }
            guard let index = index(of: model) else {
                return .isEntered(depth: enter(add(model), conditions))
            }
            let record = records[index]
            if let depth = record.depth {
                noteReturn(to: depth, isAlike: way[depth].conditions == conditions)
                return .isInside
            }
            guard let known = record.known, known.conditions == conditions else {
                return .isEntered(depth: enter(index, conditions))
            }
            let lowest = known.cycle.flatMap { cycles[whole($0)].lowest }
            return .isKnown(index, known, isFinal: record.count >= 16, lowest: lowest)
        }

        private func index(of model: any AnyObject & Sendable) -> Int? {
            if places.isEmpty { return records.firstIndex { $0.model === model } }
            return places[ObjectIdentifier(model)]
        }

        private mutating func add(_ model: any AnyObject & Sendable) -> Int {
            let index = records.count
            records.append(Record(model: model))
            if !places.isEmpty {
                places[ObjectIdentifier(model)] = index
            } else if index == 16 {
                for (index, record) in records.enumerated() {
                    places[ObjectIdentifier(record.model)] = index
                }
            }
            return index
        }

        /// - Returns: How many models the task was in.
        mutating func enter(_ index: Int, _ conditions: ValidationPath.Conditions) -> Int {
            let depth = way.count
            records[index].depth = depth
            way.append(Place(record: index, conditions: conditions, lowest: depth))
            return depth
        }

        /// Notes that the innermost model has led back to one that it is inside of.
        mutating func noteReturn(to depth: Int, isAlike: Bool) {
            way[way.count - 1].noteReturn(to: depth, isAlike: isAlike)
        }

        /// Leaves the innermost model.
        ///
        /// - Returns: What is known no more.
        mutating func leave(_ found: Known, isClean: Bool) -> (Known?, [Known?]) {
            guard let place = way.popLast() else { return (nil, []) }
            let (index, depth) = (place.record, way.count)
            let isClean = isClean && place.isAlike && !found.isPending
            let old = records[index].end(found)
            if place.lowest < depth {
                noteReturn(to: place.lowest, isAlike: true)
                let cycle = joined(place.cycle, way[place.lowest].cycle)
                cycles[cycle].add(index, isClean: isClean, place.lowest)
                way[place.lowest].cycle = cycle
                records[index].known?.cycle = cycle
                return (old, [])
            }
            guard let cycle = place.cycle.map({ whole($0) }) else { return (old, []) }
            cycles[cycle].lowest = nil
            if isClean, cycles[cycle].isClean { return (old, []) }
            // Outside of its cycles a model may be another: what was left out there is not here. But
            // where each knows each there is no end of that.
            return (old, cycles[cycle].models.map { forget($0) })
        }

        /// Has a model of a cycle validated again, unless it was too often.
        ///
        /// - Returns: What was known of it.
        private mutating func forget(_ index: Int) -> Known? {
            records[index].count < 16 ? records[index].known.take() : nil
        }

        /// The cycle that one is a part of by now.
        private func whole(_ cycle: Int) -> Int {
            var cycle = cycle
            while let greater = cycles[cycle].greater { cycle = greater }
            return cycle
        }

        /// One of two, which is the greater one from now on; a new one if there is none.
        private mutating func joined(_ left: Int?, _ right: Int?) -> Int {
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

    /// A model that the task is in.
    private struct Place: Sendable {
        let record: Int
        let conditions: ValidationPath.Conditions
        /// The depth of the outermost model on the way that something inside of this one has led back to.
        private(set) var lowest: Int
        /// Whether that was validated on the same conditions.
        private(set) var isAlike = true
        /// The models that are in a cycle with this one.
        var cycle: Int?

        init(record: Int, conditions: ValidationPath.Conditions, lowest: Int) {
            (self.record, self.conditions, self.lowest) = (record, conditions, lowest)
        }

        mutating func noteReturn(to depth: Int, isAlike: Bool) {
            lowest = min(lowest, depth)
            if !isAlike { self.isAlike = false }
        }
    }

    /// Models that are in cycles with each other.
    private struct Cycle: Sendable {
        /// Their records.
        var models: [Int] = []
        /// Whether nothing is wrong with any of them.
        var isClean = true
        /// The depth of the outermost model that they lead back to; nil once that is validated.
        var lowest: Int?
        /// The greater one that it has become a part of.
        var greater: Int?

        mutating func add(_ model: Int, isClean: Bool, _ lowest: Int) {
            models.append(model)
            self.isClean = self.isClean && isClean
            self.lowest = lowest
        }
    }

    /// What the run has of a model.
    private struct Record: Sendable {
        /// Held, so that no other model gets its place in memory.
        let model: any AnyObject & Sendable
        /// Where it is on the way, while the task is in it.
        var depth: Int?
        /// How often it was validated.
        var count = 0
        var known: Known?

        init(model: any AnyObject & Sendable) { self.model = model }

        /// - Returns: What was known before.
        mutating func end(_ found: Known) -> Known? {
            (depth, count) = (nil, count + 1)
            defer { known = found }
            return known.take()
        }
    }

    private struct Known: Sendable {
        let issues: [Issue]
        let conditions: ValidationPath.Conditions
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
