package import ModelKitModels
package import ModelKitPromises

/// Records that others write as well, of whose commits those who judge them are notified, too.
package protocol FollowingRecords: RecordStore {
    var observers: RecordObservers { get }

    /// Begins to look for what others write.
    ///
    /// - Returns: Whether it can; if not, nothing is to be observed.
    func beginJudging() -> Bool
}

/// Records whose commits bring the records that they have changed to those who judge them.
package protocol JudgedRecords: FollowingRecords {
    /// Whether a commit may be judged long after others see it: who reads does so by `read` then.
    var areJudgedLater: Bool { get }

    /// Reads what is there at one moment between two commits of the store.
    ///
    /// - Parameters:
    ///   - types: The types that are read.
    ///   - note: Is called before that moment, perhaps several times, each of which counts alone: what was judged
    ///     before it is in what is read, and what is judged after it is not older than that. It calls nothing of the
    ///     user's, as the store may hold a lock.
    ///   - body: Reads, and is given what was noted.
    /// - Returns: What the body gives.
    func read<Note: Sendable, Value: Sendable>(
        _ types: [ModelSchema],
        noting note: @escaping @Sendable () -> Note,
        _ body: @escaping @Sendable (Note, inout any RecordReading) throws -> Value
    ) -> Promise<Value>
}

extension JudgedRecords {
    package var areJudgedLater: Bool { false }

    package func beginJudging() -> Bool { true }
}

extension RecordStore {
    /// Has commits be judged: by the records that they bring, or, where they bring none, as ones that may change
    /// anything of a type.
    ///
    /// - Parameter judge: What judges them.
    /// - Returns: What ends it; nil from a store that reports none.
    func observe(by judge: any CommitJudge) -> RecordObservation? {
        // Without damaged ones as well what others write is to be looked for.
        if let undamaged = self as? UndamagedRecords { return undamaged.base.observe(by: judge) }
        if let following = self as? any FollowingRecords {
            let observation = following.observers.add(judge)
            return following.beginJudging() ? observation : nil
        }
        return observeChanges { changes in
            judge.take(changes)
            judge.notify()
        }
    }
}

extension RecordStore {
    /// Calls the handler after every commit that was made through this object, and of no others.
    func observeOwnChanges(_ handler: @escaping RecordChanges.Handler) -> RecordObservation? {
        if let layered = self as? any LayeredRecords {
            return layered.base.observeOwnChanges(handler)
        }
        if let following = self as? any FollowingRecords {
            return following.observers.add(handler, ofOthers: false)
        }
        return observeChanges(handler)
    }
}

/// The records of one moment.
package protocol RecordReading {
    /// The answer to a query of the records of a type, with its offset.
    mutating func answer(_ query: RecordQuery, of schema: ModelSchema) throws -> [Record]

    mutating func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) throws -> RecordTotals
}
