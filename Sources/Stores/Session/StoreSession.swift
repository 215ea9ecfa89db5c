public import ModelKitModels
package import ModelKitPromises

/// What one store knows of the models that are in use: which object stands for which record, and
/// with which values the two last agreed.
///
/// A store that is built on records has one, and does nothing with it. It keeps no model alive.
///
/// ```swift
/// final class NullModelStore: RecordModelStore {
///     let records: any RecordStore = NullStore()
///     let session = StoreSession()
/// }
/// ```
// Safe: every variable that changes is guarded by the lock of `identities`, under which no code of the
// user runs: models that a weak reference gave are released after it.
public final class StoreSession: @unchecked Sendable {
    /// What an object and its record agree on.
    struct Known: Sendable {
        let identifier: Identifier
        var revision: Int64
        var agreements: Agreements
        /// The values of the record that they agreed on.
        var base: BaseValues?
        /// The place of the record when it was read whole; 0 when it never was.
        var place: Int64 = 0
        /// When it was last noted.
        fileprivate(set) var moment: UInt64 = 0
        /// The last revision that this store itself has written.
        fileprivate(set) var written: Int64 = 0

        init(
            _ identifier: Identifier,
            revision: Int64,
            _ agreements: Agreements,
            _ base: BaseValues?,
            place: Int64 = 0
        ) {
            (self.identifier, self.revision) = (identifier, revision)
            (self.agreements, self.base, self.place) = (agreements, base, place)
        }
    }

    /// The same, as it is kept at the object's place.
    private final class Note {
        @exclusivity(unchecked) var known: Known
        /// When it was first noted.
        fileprivate(set) var start: UInt64 = 0
        /// The last revision whose keys it was given, which may be more than its own.
        var followed: Int64 = 0
        /// From which revision on nothing but keys was written until then; nil where more was.
        var followedFrom: Int64?

        init(_ known: consuming Known) { self.known = known }

        static func at(_ place: IdentityMap.Place?) -> Note? { place?.note as? Note }
    }

    /// Which object stands for which record, foreign keys among them; its lock guards this, too.
    public let identities = IdentityMap(findsSubclasses: false)
    /// The writes that are under way, after which the next ones of the same models are made.
    ///
    /// They keep the models alive.
    private var pending: [ObjectIdentifier: Promise<Void>] = [:]
    /// What came after all writes and is under way, after which the next ones of any model are made.
    private var barrier: Promise<Void>?
    /// The models that transactions which are under way have written, and which of them.
    private var transacted: [ObjectIdentifier: (model: any Model, transaction: ObjectIdentifier)] =
        [:]
    /// The body of a transaction, which everything else waits for.
    let body = TransactionBody()
    /// Is there when the store was asked for all that had to wait for its turn, or to read before.
    private var asked: Promise<Void>?
    /// What has the models in use follow the commits of the store.
    var following: RecordObservation?
    /// What is committed while something is being read.
    var log = CommitLog()
    /// What is being created, and is not noted yet.
    var creations = PendingCreations()
    /// The objects whose records this store has deleted, or is deleting.
    @exclusivity(unchecked) var deleted = DeletedObjects()
    /// How often something was noted.
    @exclusivity(unchecked) private var moment: UInt64 = 0
    /// What the records of the store have to keep for its whole life.
    private var companion: (any Sendable)?

    let events: StoreEvents?
    /// Whether reads come after the writes that were asked for before, also those that wait for others.
    let ordersReads: Bool
    /// For how long a write waits for those before it; nil for as long as they take.
    let patience: Duration?
    /// What lets go of the models in the end, where nobody else has them; nil where they are in use.
    let scratch: ScratchModels?

    /// - Parameter events: What receives the events of the store.
    public convenience init(events: StoreEvents? = nil) {
        self.init(events: events, ordersReads: false)
    }

    package init(events: StoreEvents?, ordersReads: Bool, patience: Duration? = nil) {
        self.events = events
        self.ordersReads = ordersReads
        self.patience = patience
        scratch = nil
        identities.becomeStoreMap()
    }

    /// A session whose models nobody else has: they are no part of any relation, and foreign keys in
    /// them are none of its models.
    package init(in models: ScratchModels) {
        events = nil
        ordersReads = false
        patience = nil
        scratch = models
    }

    /// A time to compare with that of an entry: what was noted later, an answer asked for now may
    /// not know of.
    var now: UInt64 { identities.lock.withLock { moment } }

    /// The object that stands for a record; nil when none is in use.
    package func object(_ schema: ModelSchema, _ identifier: Identifier) -> (any Model)? {
        let key = IdentityMap.Key(schema, identifier)
        return identities.lock.withLock { identities.place(key)?.show() }
    }

    /// The object that stands for a record, and the place of the record that it was read of, if that had
    /// its revision: the place distinguishes a record from one that was made anew, with a revision that the
    /// other one had, too.
    ///
    /// - Returns: The object, nil when none is in use; 0 where something else was read last, or nothing; and, without an
    ///   object, creations that are under way, and may have made the record.
    func seen(
        _ type: any Model.Type,
        _ record: Record
    ) -> (model: (any Model)?, place: Int64, creations: [RecordWrite]) {
        // That of the class which is made, which may be one below that of the caller.
        let key = IdentityMap.Key(type: ObjectIdentifier(type), identifier: record.identifier)
        return identities.lock.withLock {
            guard let place = identities.place(key), let model = place.show() else {
                return (nil, 0, creations[key])
            }
            guard let note = Note.at(place), note.known.revision == record.revision else {
                return (model, 0, [])
            }
            return (model, note.known.place, [])
        }
    }

    /// The object of a class that stands for a record, and agrees with it; nil when none is in use, or it is a
    /// foreign key of which nothing was read, or was unloaded.
    func used<M: Model>(_ type: M.Type, _ schema: ModelSchema, _ identifier: Identifier) -> M? {
        let key = IdentityMap.Key(schema, identifier)
        let object = identities.lock.withLock { () -> (any Model)? in
            guard let place = identities.place(key), place.note != nil else { return nil }
            return place.model
        }
        guard let model = object as? M, schema.identifier?.isLoaded(in: model) ?? false
        else { return nil }
        return model
    }

    /// The identifier and revision of the record that an object stands for, and what they agree on.
    func known(_ model: AnyObject) -> Known? {
        let (known, owner) = identities.lock.withLock { () -> (Known?, AnyObject?) in
            let place = identities.place(of: model)
            return (Note.at(place)?.known, place?.model)
        }
        // A dead object's place may have been taken by this one.
        return owner === model ? known : nil
    }

    /// Notes that an object stands for a record, unless another object in use does, or this one does
    /// already; also one that takes the place of another.
    ///
    /// - Returns: The object that has stood for the record before.
    @discardableResult
    func register(
        _ model: any Model,
        _ known: consuming Known,
        replacing: Bool = false
    ) -> (any Model)? {
        let key = IdentityMap.Key(of: model, known.identifier)
        let note = Note(known)
        // The other one leaves the lock in any case, since here may be its last reference.
        let (other, isFull) = identities.lock.withLock { () -> ((any Model)?, Bool) in
            let found = replacing ? nil : identities.place(key)
            let other = found?.model
            if let other, other !== model || found?.note != nil { return (other, false) }
            let (taken, displaced, isFull) = identities.put(model, key)
            taken.note = note
            if replacing { note.known.written = note.known.revision }
            begin(note, model)
            return (other ?? displaced, isFull)
        }
        if isFull { identities.removeDead() }
        return other
    }

    /// Notes that a new object stands for a record, unless another object in use does.
    ///
    /// - Returns: The other object.
    func register(new model: any Model, _ known: consuming Known) -> (any Model)? {
        let key = IdentityMap.Key(of: model, known.identifier)
        let note = Note(known)
        let (other, isFull) = identities.lock.withLock { () -> ((any Model)?, Bool) in
            let added = identities.add(model, key, note)
            if added.other == nil { begin(note, model) }
            return added
        }
        if isFull { identities.removeDead() }
        return other
    }

    /// Notes when an object was first noted; the lock must be held.
    private func begin(_ note: Note, _ model: any Model) {
        moment += 1
        (note.start, note.known.moment) = (moment, moment)
        deleted.noteStored(model)
    }

    /// Notes what an object and its record agree on after a write.
    ///
    /// What they agreed on later stays.
    ///
    /// - Parameters:
    ///   - model: The object.
    ///   - new: What the two agree on. The values count unless a later revision is known.
    ///   - expected: For what was written, the revision that it was written to. If nothing else was noted
    ///     since, the new one is taken even if it is less, as revisions of servers need not be numbers that
    ///     grow.
    ///   - moment: For what was read, not written: when the object was last noted, as far as the
    ///     reader knows. Unless it was noted since, the revision is taken even if it is less, as that
    ///     of a record which was deleted and made anew.
    func agree(
        _ model: AnyObject,
        _ new: Known,
        over expected: Int64? = nil,
        since moment: UInt64? = nil
    ) {
        identities.lock.withLock {
            guard let note = Note.at(identities.place(of: model)) else { return }
            let old = note.known.revision
            // What has followed from the same commit it has already.
            let hasFollowed = moment == nil && note.followedFrom == new.revision
            let revision = hasFollowed ? note.followed : new.revision
            let isSuperseded = moment.map { $0 != note.known.moment } ?? false
            let isNext = moment == nil ? expected == old : !isSuperseded
            if isNext || revision >= old { note.known.base = new.base }
            note.known.revision = isNext ? revision : max(old, revision)
            if moment != nil, !isSuperseded { note.known.place = new.place }
            // What was read meanwhile has not all that the object has now.
            if moment == nil, !isNext { note.known.place = 0 }
            // A lower one is of a record that somebody else has made anew.
            if note.known.revision < note.known.written { note.known.written = 0 }
            if moment == nil { note.known.written = max(note.known.written, revision) }
            self.moment += 1
            note.known.moment = self.moment
            note.known.agreements = note.known.agreements
                .later(new.agreements, prefersOwn: isSuperseded)
        }
    }

    /// Notes that an object is given the keys of a revision that others have written.
    ///
    /// - Parameters:
    ///   - model: The object.
    ///   - revision: The revision.
    ///   - before: The one before it, if nothing else was written; else nil.
    /// - Returns: Whether it has no later ones already.
    func noteFollowed(_ model: AnyObject, _ revision: Int64, after before: Int64?) -> Bool {
        identities.lock.withLock {
            guard let note = Note.at(identities.place(of: model)), note.followed < revision
            else { return false }
            if before == nil || note.followed != before || note.followedFrom == nil {
                note.followedFrom = before
            }
            note.followed = revision
            return true
        }
    }

    /// Notes that nobody knows what record an object was read of, so that its next write is a conflict, unless it is read
    /// again before.
    func doubt(_ model: AnyObject) {
        identities.lock.withLock { Note.at(identities.place(of: model))?.known.revision = 0 }
    }

    /// Notes that a record is gone.
    ///
    /// An object that was noted after its deletion was asked for stays: it stands for the next one.
    func forget(_ schema: ModelSchema, _ identifier: Identifier, asked: UInt64) {
        let key = IdentityMap.Key(schema, identifier)
        identities.lock.withLock {
            guard Note.at(identities.place(key))?.start ?? 0 <= asked else { return }
            identities.forget(key)
        }
    }

    /// Notes that records are gone: of a type, or of all types.
    ///
    /// Objects that were noted after their deletion was asked for stay.
    ///
    /// - Parameters:
    ///   - type: The type; nil for all.
    ///   - asked: When the deletion was asked for.
    ///   - isGone: Whether the record of an identifier is gone.
    /// - Returns: The objects that stand for none any more.
    func forgetAll(
        _ type: (any Model.Type)? = nil,
        asked: UInt64,
        where isGone: (Identifier) -> Bool = { _ in true }
    ) -> [any Model] {
        identities.lock.withLock {
            let type = type.map { ObjectIdentifier($0) }
            let gone = identities.all.filter { place in
                guard let note = Note.at(place), note.start <= asked else { return false }
                return (type == nil || place.key.type == type) && isGone(place.key.identifier)
            }
            let models = gone.compactMap(\.model)
            for place in gone { identities.forget(place.key) }
            return models
        }
    }

    /// Takes a place after the writes that are under way, and before those that are asked for later, if it comes
    /// after any.
    ///
    /// - Parameters:
    ///   - turn: What it comes after.
    ///   - done: A promise that is there when it is made.
    /// - Returns: What to wait for.
    func queue(_ turn: Turn, _ done: Promise<Void>) -> [Promise<Void>] {
        if turn.isNothing { return readsWaitFor.map { [$0] } ?? [] }
        return identities.lock.withLock {
            var before = turn.isAfterAll ? everything : barrier.map { [$0] } ?? []
            if turn.isAfterAll { barrier = done }
            for model in turn.models {
                let other = pending.updateValue(done, forKey: ObjectIdentifier(model))
                if let other, other !== done, !turn.isAfterAll { before.append(other) }
            }
            return before
        }
    }

    /// Gives a place back.
    func leave(_ models: [any Model], _ turn: Promise<Void>) {
        identities.lock.withLock {
            if barrier === turn { barrier = nil }
            for model in models where pending[ObjectIdentifier(model)] === turn {
                pending[ObjectIdentifier(model)] = nil
            }
        }
    }

    /// Whether a write of a model is under way.
    func isWriting(_ model: any Model) -> Bool {
        let identity = ObjectIdentifier(model)
        return identities.lock.withLock { pending[identity] != nil || transacted[identity] != nil }
    }

    /// Notes that a transaction which is under way writes models.
    func noteTransacted(_ models: [any Model], by transaction: ObjectIdentifier) {
        identities.lock.withLock {
            for model in models { transacted[ObjectIdentifier(model)] = (model, transaction) }
        }
    }

    /// Notes the end of a transaction; the next one may have begun already.
    func endTransaction(_ transaction: ObjectIdentifier) {
        let models = identities.lock.withLock {
            let ended = transacted.filter { $0.value.transaction == transaction }
            for model in ended.keys { transacted[model] = nil }
            return ended
        }
        withExtendedLifetime(models) {}
    }

    /// What is under way; the lock must be held.
    private var everything: [Promise<Void>] {
        Array(pending.values) + (barrier.map { [$0] } ?? [])
    }

    /// Has reads wait until the store was asked for a use whose turn has not come, or that reads before.
    func delayReads(until turn: Promise<Void>) {
        let (both, resolver) = Promise<Void>.withResolvers()
        let before = identities.lock.withLock {
            defer { asked = both }
            return asked
        }
        Promise<Void>.all([before, turn].compactMap { $0 }).observe { _ in resolver.fulfill() }
    }

    /// What a read has to wait for, so that it comes after the writes that were asked for before it, also
    /// those of which the store does not know yet; nil for nothing.
    ///
    /// What an import reads from must not wait for them, as they may come after the import.
    var readsWaitFor: Promise<Void>? {
        guard ordersReads, let asked = identities.lock.withLock({ asked }), !asked.isSettled,
            !TransactionFeed.isWaiting(self)
        else { return nil }
        return asked
    }

    /// What the records of the store keep, where these are made anew for each use: the same object for the
    /// store's whole life.
    package func companion<Object: AnyObject & Sendable>(_ make: () -> Object) -> Object {
        if let known = identities.lock.withLock({ companion }) as? Object { return known }
        // Made without the lock; if two threads make it, the first one is kept.
        let made = make()
        return identities.lock.withLock {
            if let known = companion as? Object { return known }
            companion = made
            return made
        }
    }

    /// A promise that is there when the writes that were asked for so far are made, or have failed.
    ///
    /// To cancel it stops none of them. In the body of a transaction and in what is imported it fails, as it would wait
    /// for itself.
    package func settled() -> Promise<Void> {
        if let refusal = body.refusal ?? TransactionFeed.refusal(by: self) {
            return .failed(refusal)
        }
        let writes = identities.lock.withLock { everything }
        if writes.isEmpty { return .value(()) }
        let (promise, resolver) = Promise<Void>.withResolvers()
        Promise<Void>.all(writes).observe { _ in resolver.fulfill() }
        return promise
    }
}

extension IdentityMap.Key {
    init(_ schema: ModelSchema, _ identifier: Identifier) {
        self.init(type: schema.type, identifier: identifier)
    }

    init(of model: any Model, _ identifier: Identifier) {
        self.init(type: ObjectIdentifier(Swift.type(of: model)), identifier: identifier)
    }
}
