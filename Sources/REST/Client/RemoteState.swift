import ModelKitFields
import ModelKitModels
import ModelKitStores
import Synchronization

/// What a remote store knows beside the models, for its whole life.
final class RemoteState: Sendable {
    let observers = RecordObservers()
    private let coders = Guarded<[ObjectIdentifier: RecordCoder]>([:])
    /// A type of transports that are known not to report their attempts.
    private let silentTransport = Guarded<ObjectIdentifier?>(nil)
    private let tags: Guarded<RecentTable<IdentityMap.Key, Tag>>
    private let moment = Atomic<Int64>(0)

    /// What is counted here is above it, and so greater than what servers send, and known by its number; in JSON
    /// such numbers are exact as yet.
    private static let least: Int64 = 1 << 52

    /// Where counting begins: elsewhere in each process, as clients of a server over this store keep the numbers.
    private let start = RemoteState.least + .random(in: 0..<RemoteState.least / 2)

    /// - Parameter count: Of how many records the tags are kept.
    init(count: Int) { tags = Guarded(RecentTable(count: count)) }

    /// Whether a revision may be counted here some day, though a server sends it now.
    ///
    /// A server does that has it from another server. Greater ones only come from servers.
    static func mayBeCounted(_ revision: Int64) -> Bool { revision > least && revision < 2 * least }

    /// Whether a revision is one that was counted here.
    func isCounted(_ revision: Int64) -> Bool {
        revision > start && revision <= start + moment.load(ordering: .acquiring)
    }

    /// What the server calls a version of a record, and its place.
    struct Tag {
        var revision: Int64
        /// Whether the server has sent the revision, which is the tag then.
        var isFromServer = false
        /// The hash of its values; 0 where they are not known, as a write was answered without them, or do not
        /// count.
        var hash = 0
        var tag: EntityTag?
        /// The tags of versions before, as far as the server has sent them and no revisions.
        private(set) var older: [(revision: Int64, tag: EntityTag)] = []
        /// What stands for the identifier in paths.
        var pathIdentifier: Identifier?
        /// Whether the server has null in fields, by their places and as far as that is known, where whole
        /// models are put.
        var nulls: [Int: Bool] = [:]
        /// When it was asked for, or written: a number of `next()`.
        var moment: Int64
    }

    /// A number that is greater than all before, and a revision where servers send none.
    ///
    /// A read that was asked for before a write was answered has a lower one than the write.
    func next() -> Int64 { start + moment.add(1, ordering: .acquiringAndReleasing).newValue }

    /// What turns records of a type into JSON; made once, as long as the context is the same.
    func coder(_ schema: ModelSchema, in context: ValueTransformerContext) -> RecordCoder {
        let key = ObjectIdentifier(schema)
        if let coder = coders.withLock({ $0[key] }), coder.context.registry === context.registry {
            return coder
        }
        let coder = RecordCoder(schema, in: context)
        let old = coders.withLock { $0.updateValue(coder, forKey: key) }
        withExtendedLifetime(old) {}
        return coder
    }

    /// A transport as one that reports its attempts, if it does; found out once, as it takes long.
    func replying(_ transport: any HTTPTransport) -> (any HTTPReplying)? {
        let type = ObjectIdentifier(type(of: transport))
        if silentTransport.withLock({ $0 }) == type { return nil }
        if let replying = transport as? any HTTPReplying { return replying }
        silentTransport.withLock { $0 = type }
        return nil
    }

    /// Notes a version of a record that was read, unless a later one is known, and gives it its revision: that
    /// which it had before, where nothing has changed.
    func noteRead(_ schema: ModelSchema, _ identifier: Identifier, _ new: Tag) -> Int64 {
        tags.withLock { tags in
            let key = IdentityMap.Key(type: schema.type, identifier: identifier)
            guard let known = tags[key] else {
                tags[key] = new
                return new.revision
            }
            var next = new
            if known.hash == new.hash {
                next.revision = known.revision
                next.tag = new.tag ?? known.tag
            } else if new.moment < known.moment {
                // That is the later one, also where the server has sent a lower revision of it.
                next.revision = min(new.revision, max(known.revision, .min + 1) - 1)
            }
            if new.moment >= known.moment { tags[key] = next.following(known) }
            return next.revision
        }
    }

    /// Notes a version of a record that was written, or of which the server sends the revision, unless a
    /// later one is known.
    func note(_ schema: ModelSchema, _ identifier: Identifier, _ new: Tag) {
        tags.withLock { tags in
            let key = IdentityMap.Key(type: schema.type, identifier: identifier)
            let known = tags[key]
            if let known, new.moment < known.moment { return }
            tags[key] = known.map(new.following) ?? new
        }
    }

    subscript(schema: ModelSchema, identifier: Identifier) -> Tag? {
        get { tags.withLock { $0[.init(type: schema.type, identifier: identifier)] } }
        set { tags.withLock { $0[.init(type: schema.type, identifier: identifier)] = newValue } }
    }
}

extension RemoteState.Tag {
    private static let mostOlder = 8

    /// What the server calls a version, this one or one before; nil where that is not known, or names none.
    func tag(of revision: Int64) -> EntityTag? {
        let tag =
            revision == self.revision
            ? self.tag : older.last { $0.revision == revision }.map(\.tag)
        return tag.flatMap { $0.isWeak ? nil : $0 }
    }

    /// Itself, with what was known before and is not sent again.
    fileprivate func following(_ known: RemoteState.Tag) -> RemoteState.Tag {
        var next = self
        next.older = known.older
        if revision != known.revision, !known.isFromServer, let tag = known.tag(of: known.revision)
        {
            next.older.append((known.revision, tag))
            if next.older.count > Self.mostOlder { next.older.removeFirst() }
        }
        if next.pathIdentifier == nil { next.pathIdentifier = known.pathIdentifier }
        next.nulls = known.nulls.merging(nulls) { $1 }
        return next
    }
}

/// A dictionary that forgets what was not used for long: it keeps at least the last so many.
package struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let count: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    package init(count: Int) { self.count = count }

    package subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old[key] else { return nil }
            self[key] = value
            return value
        }
        set {
            old[key] = nil
            young[key] = newValue
            guard young.count >= count else { return }
            old = young
            young = [:]
        }
    }
}
