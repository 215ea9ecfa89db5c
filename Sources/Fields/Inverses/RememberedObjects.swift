/// The objects of a field that is not loaded, in the order in which they came, which it does not keep alive.
struct RememberedObjects: Sendable {
    private struct Entry: Sendable {
        weak let object: RelatedObject?
        let place: Int
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var (last, limit) = (0, 64)

    init(_ objects: [RelatedObject] = []) {
        for object in objects { insert(object) }
    }

    /// Those that are alive.
    ///
    /// Not under a lock: they may die when the list is released.
    var objects: [RelatedObject] {
        entries.values.compactMap { entry in entry.object.map { (entry.place, $0) } }
            .sorted { $0.0 < $1.0 }
            .map(\.1)
    }

    /// How many there are, with those that are gone and not forgotten yet.
    var count: Int { entries.count }

    /// Whether it has an object, which the caller keeps alive.
    func contains(_ object: RelatedObject) -> Bool {
        entries[ObjectIdentifier(object)]?.object === object
    }

    /// Adds an object, which the caller keeps alive.
    mutating func insert(_ object: RelatedObject) {
        if contains(object) { return }
        last += 1
        entries[ObjectIdentifier(object)] = Entry(object: object, place: last)
    }

    mutating func remove(_ object: RelatedObject) { entries[ObjectIdentifier(object)] = nil }

    /// Forgets those that are gone, from time to time.
    ///
    /// - Returns: What may not be released under a lock.
    mutating func removeDead() -> [RelatedObject] {
        guard entries.count >= limit else { return [] }
        var alive: [RelatedObject] = []
        for (identity, entry) in entries {
            if let object = entry.object { alive.append(object) } else { entries[identity] = nil }
        }
        limit = max(64, entries.count * 2)
        return alive
    }
}
