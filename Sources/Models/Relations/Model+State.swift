public import ModelKitFields

extension Model {
    /// How much is known of the model: what its fields say together.
    ///
    /// It is `.loading` or `.error` while one of them is, `.incomplete` if nothing is known but the
    /// identifier, as of what a foreign key refers to or what was unloaded, and `.notLoaded` if not
    /// even that is. As soon as a field is loaded, which a set or a read does, it is `.loaded`. Fields
    /// with an inverse count only if they are keys; the other side of a key has a load state of its own.
    public var loadState: LoadState {
        let schema = ownSchema
        let inverses = Set(
            schema.relations.all.lazy.map(\.entry).filter { !$0.isForeignKey }
                .map { ObjectIdentifier($0) }
        )
        var known = LoadState.notLoaded
        var others: [LoadState] = []
        for entry in allEntries where !inverses.contains(ObjectIdentifier(entry)) {
            let state = entry.field(in: self).loadState
            if entry === schema.identifier { known = state } else { others.append(state) }
        }
        if others.contains(.error) { return .error }
        if others.contains(.loading) { return .loading }
        // Of a type that has nothing else to know, the identifier was read or it was not.
        if others.contains(.loaded) || (others.isEmpty && known == .loaded) { return .loaded }
        let isKnown = known == .loaded || known == .incomplete
        return isKnown || others.contains(.incomplete) ? .incomplete : .notLoaded
    }

    /// Takes the values of all fields but the identifier away, as not known: what is kept elsewhere can
    /// be loaded again.
    ///
    /// Nothing is erased by it: no dictionary and no store has a null of these fields, other models
    /// keep their relations to this one, and bound fields their values. Observers are notified of nil.
    public func unload() {
        let schema = ownSchema
        batch {
            for entry in allEntries {
                let field = entry.field(in: self)
                if entry !== schema.identifier {
                    field.unload()
                } else if field.loadState == .loaded {
                    field.loadState = .incomplete
                }
            }
        }
    }

    /// The models in fields of which only the identifier is known, elements of arrays too: each once,
    /// in the order of the fields.
    ///
    /// - Parameter recursive: Whether also those in fields of the models in fields, and so on.
    /// - Returns: The models.
    public func incompleteChildModels(recursive: Bool = false) -> [any Model] {
        var found: [any Model] = []
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var waiting: [any Model] = [self]
        while let next = waiting.popLast() {
            var inner: [any Model] = []
            for model in next.relationFields.flatMap(\.models)
            where seen.insert(ObjectIdentifier(model)).inserted {
                if model.loadState == .incomplete { found.append(model) }
                inner.append(model)
            }
            if recursive { waiting += inner.reversed() }
        }
        return found
    }

    /// Whether no field says anything: each has no value, a blank one, or blank models only.
    public var isBlank: Bool {
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var waiting: [any Model] = [self]
        while let next = waiting.popLast() {
            for entry in next.allEntries where !entry.isDerived {
                let field = entry.field(in: next)
                if let relation = field as? any RelationField {
                    waiting += relation.models.filter {
                        seen.insert(ObjectIdentifier($0)).inserted
                    }
                } else if let value = field.anyValue {
                    guard let value = value as? any Blankable, value.isBlank else { return false }
                }
            }
        }
        return true
    }
}
