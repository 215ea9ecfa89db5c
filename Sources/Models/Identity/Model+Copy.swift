public import ModelKitFields

extension Model {
    /// Another model with the same values, times and load states, identifier included.
    ///
    /// Models in fields are copied with it, each once, so that what refers to this one there refers to
    /// the copy here. Models in fields with a foreign key are the same ones, unless they are copied,
    /// too; but one that can be in the field of one model only stays where it is. These models do not know of
    /// the copy, so that nothing that is computed of them counts it, until it is stored or the key is set,
    /// to the same model, too. The other side of a key is empty, or not loaded, where it is so here. No identity map
    /// knows the copies, and observers and bindings are not copied.
    public func copy() -> Self { copy(fields: nil) }

    /// Another model with the values of some fields of this one, and the default values of the others.
    ///
    /// Models in these fields are copied as by `copy()`, with all of their fields.
    public func copy(fields: [AnyField]) -> Self {
        copy(fields: Set(fields.map { ObjectIdentifier($0) }))
    }

    private func copy(fields: Set<ObjectIdentifier>?) -> Self {
        let copy = blank()
        var copies: [ObjectIdentifier: any Model] = [ObjectIdentifier(self): copy]
        var pairs: [(original: any Model, copy: any Model)] = [(self, copy)]
        func isIncluded(_ field: AnyField, of model: any Model) -> Bool {
            model !== self || fields?.contains(ObjectIdentifier(field)) ?? true
        }
        var next = 0
        while next < pairs.count {
            let original = pairs[next].original
            for (entry, field) in original.relationEntries
            where entry.relationKind == .embedded && isIncluded(field, of: original) {
                for model in field.models where copies[ObjectIdentifier(model)] == nil {
                    let copy = model.blank()
                    copies[ObjectIdentifier(model)] = copy
                    pairs.append((model, copy))
                }
            }
            next += 1
        }
        // Twice: a relation that is set later moves the times of its inverse.
        for _ in 0..<2 {
            for (original, copy) in pairs {
                original.addDynamicFields(to: copy)
                original.fill(copy, copies) { isIncluded($0, of: original) }
            }
        }
        return copy
    }

    /// A new model of the class; neither its keys nor those of what it embeds join the models that they have by default.
    private func blank() -> Self {
        guard Linking.isAtOnce,
            ownSchema.relations.all.contains(where: \.entry.isForeignKey)
                || ownSchema.allFields.contains(where: { $0.relationKind == .embedded })
        else { return type(of: self).init() }
        let links = DeferredLinks()
        let blank = ModelTask.with(.collecting(links)) { links.making(type(of: self)) }
        links.close { models in
            let linked = Set(models.map { ObjectIdentifier($0) })
            var (open, seen): ([any Model], Set<ObjectIdentifier>) = ([blank], [])
            while let model = open.popLast() {
                guard seen.insert(ObjectIdentifier(model)).inserted else { continue }
                for (entry, field) in model.relationEntries where entry.relationKind == .embedded {
                    open += field.models
                }
                guard linked.contains(ObjectIdentifier(model)) else { continue }
                for relation in model.ownSchema.relations.all where relation.entry.isForeignKey {
                    let key = relation.entry.relation(in: model)
                    if relation.isExclusive { key?.removeAllModels() }
                    relation.install(in: model)?.stayApart()
                }
            }
            Linking.link(models)
        }
        return blank
    }

    /// Gives a copy the dynamic fields that it has not yet.
    private func addDynamicFields(to copy: any Model) {
        let fields = dynamicFields
        guard !fields.isEmpty, let object = copy as? ModelObject else { return }
        let keys = Set(object.dynamicFields.compactMap(\.key))
        for field in fields {
            if let key = field.key, !keys.contains(key) { object.add(field.copy()) }
        }
    }

    /// Gives the values of fields to a copy.
    private func fill(
        _ copy: any Model,
        _ copies: [ObjectIdentifier: any Model],
        where isIncluded: (AnyField) -> Bool
    ) {
        let schema = ownSchema
        let others = copy.allEntries
        for (index, entry) in allEntries.enumerated() {
            // Those of one object may be in another order, as its `init` may have added some.
            let isDeclared = index < schema.allFields.count
            let other = isDeclared ? others[index] : others.first { $0.key == entry.key }
            let field = entry.field(in: self)
            // The models whose key is the original do not get another one.
            if entry.isDerived {
                if isIncluded(field), field.isRelationNotLoaded {
                    other?.field(in: copy).unload()
                }
                continue
            }
            guard let target = other?.field(in: copy), isIncluded(field),
                field.revision != 0 || target.isDifferent(from: field)
            else { continue }
            guard let relation = field as? any RelationField,
                let other = target as? any RelationField
            else {
                target.take(field, restoring: true)
                continue
            }
            let isForeignKey = entry.isForeignKey
            let own = schema.relations.all.first { $0.entry === entry }
            let isExclusive = own?.isExclusive ?? false
            let models = relation.models
            if isForeignKey, own != nil,
                !models.contains(where: { copies[ObjectIdentifier($0)] != nil })
            {
                // A model that only one may have as its key is not given a second one.
                if !isExclusive || models.isEmpty { other.takeCopied(field) }
                continue
            }
            other.take(field) { model in
                copies[ObjectIdentifier(model)] ?? (isForeignKey && !isExclusive ? model : nil)
            }
        }
    }

    /// Takes the values of another model's fields that are loaded there and were set later than this
    /// one's, with their times.
    ///
    /// Models in fields are taken as they are, also from relations of the other. The identifier is
    /// taken like the rest.
    ///
    /// - Parameters:
    ///   - other: The model.
    ///   - excluded: Fields of this model that keep their values.
    ///   - condition: Whether a field of this model takes the value of the other's.
    /// - Returns: The paths of the fields that have taken a value.
    @discardableResult
    public func merge(
        from other: Self,
        excluding excluded: [AnyField] = [],
        where condition: (_ field: AnyField, _ other: AnyField) -> Bool = { _, _ in true }
    ) -> [FieldPath] {
        let excluded = Set(excluded.map { ObjectIdentifier($0) })
        let theirs = other.allEntries
        var taken: [FieldPath] = []
        batch {
            for entry in allEntries where !entry.isDerived {
                let field = entry.field(in: self)
                guard !excluded.contains(ObjectIdentifier(field)),
                    let source = theirs.first(where: { $0.name == entry.name })?.field(in: other),
                    condition(field, source)
                else { continue }
                // A field of the same name in another subclass may be of another type.
                if let isTaken = try? field.merge(from: source), isTaken {
                    taken.append(entry.path)
                }
            }
        }
        return taken
    }
}
