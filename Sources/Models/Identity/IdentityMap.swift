import ModelKitFields

/// Which object stands for which model: one for each type and identifier, as long as somebody keeps
/// it.
///
/// What is read with a map gives the objects that it has already, and adds those that it has not:
///
/// ```swift
/// let map = IdentityMap()
/// let ada = try map.read(Person.self, ["id": "a", "name": "Ada"])
/// let same = try map.read(Person.self, ["id": "a", "age": 36])
/// ada === same                                 // true
/// map.model(Person.self, identifier: "a")      // ada
/// ```
///
/// It keeps no model alive, and can be used from any thread. A store has one of its own. Types are
/// distinguished by identity, not by their names.
///
/// An object of a subclass stands for its own class and for those that it inherits from, as far as no
/// other object does: asked for by any of them, it is the same one.
// Safe: every variable is guarded by `lock`, under which no code of the user runs: models that a weak
// reference gave are released after it. So no two accesses overlap, which those that are made for each model that is read
// do not check anew (`@exclusivity(unchecked)`).
public final class IdentityMap: @unchecked Sendable {
    /// A type and an identifier.
    package struct Key: Hashable, Sendable {
        package let type: ObjectIdentifier
        package let identifier: Identifier

        package init(type: ObjectIdentifier, identifier: Identifier) {
            self.type = type
            self.identifier = identifier
        }

        package func hash(into hasher: inout Hasher) {
            let type = Int64(Int(bitPattern: type))
            switch identifier {
            // In one word, in which those of one type are far from those of the next.
            case .int(let number): hasher.combine(type ^ (number &* -0x61C8_8646_80B5_83EB))
            case .string(let text):
                hasher.combine(type)
                hasher.combine(text)
            }
        }
    }

    /// Guards what a store's session keeps of models, too.
    package let lock = Lock()
    @exclusivity(unchecked) private var places: [Key: Place] = [:]
    /// The same by their objects, but for `added`.
    @exclusivity(unchecked) private var owned: [ObjectIdentifier: Place] = [:]
    /// Those of objects in use whose places others have taken: they keep what is noted of them.
    private var displaced: [Key: [Place]] = [:]
    /// Those of new objects, oldest first: of most that are listed nobody asks by the object.
    @exclusivity(unchecked) private var added: [Place?] = []
    private var addedLimit = 64
    /// The places of objects by those of classes that theirs inherit from.
    private var subclasses: [Key: Key] = [:]
    private var limit = 64
    private let findsSubclasses: Bool
    private let linksShells: Bool

    public convenience init() { self.init(findsSubclasses: true) }

    /// A map that finds the models of a class with those of its subclasses, or keeps them apart, as a store may;
    /// and that gives new objects, of which nothing but the identifier is known, the models that refer to
    /// them, or leaves them without, so that they keep none of those alive.
    package init(findsSubclasses: Bool = true, linksShells: Bool = true) {
        self.findsSubclasses = findsSubclasses
        self.linksShells = linksShells
    }

    /// The object that stands for a model; nil when none is in use.
    public func model<M: Model>(_ type: M.Type, identifier: some IdentifierConvertible) -> M? {
        let key = Key(type: ObjectIdentifier(M.self), identifier: identifier.identifier)
        return lock.withLock { visible(key, for: nil).object } as? M
    }

    /// The object that stands for a model: the one in use, or a new one of which nothing is known but
    /// the identifier, whose `loadState` is `.incomplete`.
    ///
    /// The identifier must be one that the type's field takes; otherwise the object has none, and the
    /// map does not keep it. The new object is of the class that a `ModelObject` says for a dictionary
    /// with nothing but the identifier: the type itself, unless that says more.
    public func canonical<M: Model>(_ type: M.Type, identifier: some IdentifierConvertible) -> M {
        canonical(type, identifier: identifier.identifier, for: nil).model
    }

    /// How an object stands for a model where an import asks for it.
    enum Standing {
        /// It was made for that.
        case new
        /// The import has read of it already, and nobody else has seen it.
        case beingRead
        case inUse
    }

    /// The object that stands for a model.
    ///
    /// - Parameters:
    ///   - type: The type of the model.
    ///   - identifier: Its identifier.
    ///   - reader: The import that asks.
    ///   - make: Makes a new object, which only the import is to see; nil if it is to be seen by all.
    /// - Returns: The model of that identity, and how it stands for it.
    func canonical<M: Model>(
        _ type: M.Type,
        identifier: Identifier,
        for reader: DeferredLinks?,
        _ make: (() -> M)? = nil
    ) -> (model: M, standing: Standing) {
        let key = Key(type: ObjectIdentifier(type), identifier: identifier)
        let known = lock.withLock { visible(key, for: reader) }
        if let model = known.object as? M { return (model, known.isRead ? .beingRead : .inUse) }
        let model = make?() ?? makeShell(type.shellType(for: identifier))
        var scope = ImportScope()
        let field = model.ownSchema.identifier?.field(in: model)
        field?.read(identifier.attributeValue, at: [], revision: nil, in: &scope)
        if make == nil { field?.loadState = .incomplete }
        guard scope.issues.isEmpty else { return (model, .new) }
        let used = insert(model, for: make == nil ? nil : reader)
        return (used, used === model ? .new : .inUse)
    }

    private func makeShell<M: Model>(_ type: M.Type) -> M {
        let shell = linksShells ? Linking.shared(type) : Linking.apart(type)
        // It stands for a model of which others know more.
        shell.unloadDerived()
        return shell
    }

    /// Lets a model stand for its type and identifier, unless another object in use does.
    ///
    /// - Returns: The object that stands for it; the model itself if it has no identifier.
    @discardableResult
    public func insert<M: Model>(_ model: M) -> M { insert(model, for: nil) }

    /// Lets a model stand for its identifier, which only an import is to see, if there is one.
    ///
    /// - Returns: The object that stands for it.
    @discardableResult
    func insert<M: Model>(_ model: M, for reader: DeferredLinks?) -> M {
        guard let identifier = model.identifier else { return model }
        let schema = findsSubclasses ? model.ownSchema : M.schema
        let key = Key(type: schema.type, identifier: identifier)
        let (other, isFull, held) = lock.withLock { () -> ((any Model)?, Bool, [any Model]) in
            let other = visible(key, for: nil).object
            if let other, other !== model { return (other, false, []) }
            let isFull = put(model, key).isFull
            places[key]?.reader = reader
            return (nil, isFull, addBases(of: schema, at: key))
        }
        withExtendedLifetime(held) {}
        if other == nil { reader?.add(model, in: self) }
        if isFull { removeDead() }
        return other as? M ?? model
    }

    /// Forgets an object: for a model that was deleted, which is not to come back.
    public func remove<M: Model>(_ model: M) {
        lock.withLock {
            guard let place = place(of: model) else { return }
            if places[place.key] === place { vacate(place.key) } else { leave(place) }
        }
    }

    /// Lets others see a model that an import has read.
    func settle(_ model: any Model, by reader: DeferredLinks) {
        lock.withLock {
            guard let place = place(of: model), place.reader === reader else { return }
            place.reader = nil
        }
    }

    /// Forgets models that an import gives up: all of them at once, so that nobody can find one that
    /// another has.
    ///
    /// - Returns: Those that others have seen; then none is forgotten.
    func giveUp(_ models: [any Model], by reader: DeferredLinks) -> [any Model] {
        lock.withLock {
            var lost: [Key] = []
            var seen: [any Model] = []
            for model in models {
                guard let place = place(of: model) else { continue }
                if place.reader === reader {
                    lost.append(place.key)
                } else {
                    seen.append(model)
                }
            }
            if seen.isEmpty { lost.forEach(vacate) }
            return seen
        }
    }

    /// How many models it knows, with those that are gone and were not noticed yet: about
    /// twice as many as are in use at most, and a few.
    public var count: Int { lock.withLock { places.count } }

    // For the store's session, which keeps more of each model under the same lock. Models that places
    // give are to be released after it.

    /// Where an object stands for a model, or has; the lock must be held.
    package func place(_ key: Key) -> Place? { places[key] }

    /// Where an object stands, or one that was at its address before; the lock must be held.
    package func place(of object: AnyObject) -> Place? {
        ownAdded()
        return owned[ObjectIdentifier(object)]
    }

    /// Has all be found by their objects.
    private func ownAdded() {
        if added.isEmpty { return }
        let places = added
        added = []
        for case let place? in places { own(place) }
    }

    /// Has a place be found by its object, which leaves the one that it had.
    private func own(_ place: Place) {
        place.slot = nil
        guard let old = owned.updateValue(place, forKey: place.identity) else { return }
        if old.key != place.key, places[old.key] === old { vacate(old.key) }
    }

    /// All places; the lock must be held.
    package var all: some Sequence<Place> { places.values }

    /// The object at a place, or one of a subclass.
    private func visible(
        _ key: Key,
        for reader: DeferredLinks?
    ) -> (object: (any Model)?, isRead: Bool) {
        let own = object(key, for: reader)
        guard own.object == nil, let other = subclasses[key] else { return own }
        return object(other, for: reader)
    }

    /// Lets an object stand for the classes that its own inherits from, where nobody does.
    ///
    /// - Returns: What may not be released before the lock.
    private func addBases(of schema: ModelSchema, at key: Key) -> [any Model] {
        guard findsSubclasses else { return [] }
        var held: [any Model] = []
        for type in schema.bases {
            let base = Key(type: type, identifier: key.identifier)
            let others = [places[base]?.model, subclasses[base].flatMap { places[$0]?.model }]
                .compactMap { $0 }
            held += others
            guard others.isEmpty else { continue }
            subclasses[base] = key
            places[key]?.bases.append(base)
        }
        return held
    }

    /// The same, for an import, and whether only that has seen it.
    private func object(
        _ key: Key,
        for reader: DeferredLinks?
    ) -> (object: (any Model)?, isRead: Bool) {
        guard let place = places[key] else { return (nil, false) }
        if let known = place.reader {
            if known === reader { return (place.model, true) }
            place.reader = nil
        }
        return (place.model, false)
    }

    /// Puts an object at a place, from the one that it had; the lock must be held.
    ///
    /// - Returns: The place, another object in use that has stood there, of which what is noted stays, and whether it is
    ///   time to look for dead ones.
    package func put(
        _ model: any Model,
        _ key: Key
    ) -> (place: Place, other: (any Model)?, isFull: Bool) {
        // In their order, as another object may have been at its address.
        ownAdded()
        let place = Place(model, key)
        if !displaced.isEmpty { displaced[key]?.removeAll { $0.identity == place.identity } }
        var other: (any Model)?
        if let former = places.updateValue(place, forKey: key) {
            let found = former.model
            if found === model {
                (place.note, place.bases) = (former.note, former.bases)
            } else if found != nil {
                displaced[key, default: []].append(former)
                other = found
            } else {
                leave(former)
            }
        }
        own(place)
        return (place, other, places.count >= limit)
    }

    /// Puts an object that has no place yet at one, unless another one in use has it; the lock must be held.
    ///
    /// - Returns: The other object, and whether it is time to look for dead ones.
    package func add(
        _ model: any Model,
        _ key: Key,
        _ note: AnyObject
    ) -> (other: (any Model)?, isFull: Bool) {
        let place = Place(model, key)
        place.note = note
        if let former = places.updateValue(place, forKey: key) {
            if let other = former.model {
                places[key] = former
                return (other, false)
            }
            leave(former)
        }
        if added.count >= addedLimit {
            added = added.filter { $0 != nil }
            for (slot, place) in added.enumerated() { place?.slot = slot }
            addedLimit = max(64, added.count * 2)
        }
        place.slot = added.count
        added.append(place)
        return (nil, places.count >= limit)
    }

    /// Takes an object from its place; the lock must be held.
    package func vacate(_ key: Key) {
        if let place = places.removeValue(forKey: key) { leave(place) }
    }

    /// Forgets who stands for a model, as it is gone; the lock must be held.
    package func forget(_ key: Key) {
        vacate(key)
        if !displaced.isEmpty { displaced.removeValue(forKey: key)?.forEach(leave) }
    }

    /// Forgets where else a place is noted that it is.
    private func leave(_ place: Place) {
        if let slot = place.slot {
            if slot < added.count { added[slot] = nil }
            place.slot = nil
        } else if owned[place.identity] === place {
            owned[place.identity] = nil
        }
        for base in place.bases where subclasses[base] == place.key { subclasses[base] = nil }
    }

    /// Takes out the objects that are gone.
    package func removeDead() {
        // One that is alive may have its last reference here.
        let models = lock.withLock {
            var (models, dead): ([AnyObject], [Key]) = ([], [])
            for place in places.values {
                if let model = place.model { models.append(model) } else { dead.append(place.key) }
                // They come in no order: where none of so many is gone, hardly any is.
                if models.count == 64, dead.isEmpty { break }
            }
            dead.forEach(vacate)
            for (key, places) in displaced {
                var alive: [Place] = []
                for place in places {
                    if let model = place.model {
                        models.append(model)
                        alive.append(place)
                    } else {
                        leave(place)
                    }
                }
                displaced[key] = alive.isEmpty ? nil : alive
            }
            limit = max(64, places.count * 2)
            return models
        }
        withExtendedLifetime(models) {}
    }
}

extension Model {
    /// The class of a model of which nothing but the identifier is known.
    fileprivate static func shellType(for identifier: Identifier) -> Self.Type {
        guard let base = self as? ModelObject.Type, let key = schema.identifier?.key else {
            return self
        }
        var dictionary: AttributeDictionary = [:]
        dictionary.set(identifier.attributeValue, at: key.names[...])
        return base.instanceClass(for: dictionary) as? Self.Type ?? self
    }
}
