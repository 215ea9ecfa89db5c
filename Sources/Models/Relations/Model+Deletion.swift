import ModelKitFields

extension Model {
    /// The models that are deleted together with this one, without itself.
    ///
    /// They are those in fields that were made with `cascadeDelete: true`, and those in such fields of
    /// theirs: each once, nearest first, in the order of the fields. Cycles end. What else refers to
    /// this model only loses it: ``nullify()``.
    ///
    /// ```swift
    /// final class Order: Model {
    ///     let lines = ModelField<Line>(cascadeDelete: true)*
    ///     let customer = ModelField<Customer>()
    /// }
    /// order.cascade()   // its lines, not its customer
    /// ```
    public func cascade() -> [any Model] { modelsInCascade.map(\.model) }

    /// The same, and whether the model is kept in a record of its own.
    package var modelsInCascade: [(model: any Model, hasRecord: Bool)] {
        var found: [(model: any Model, hasRecord: Bool)] = []
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        func add(_ model: any Model) {
            for (entry, field) in model.relationEntries where field.declaration.cascades {
                for other in field.relatedModels where seen.insert(ObjectIdentifier(other)).inserted
                {
                    found.append((other, entry.relationKind != .embedded))
                }
            }
        }
        add(self)
        var next = 0
        while next < found.count {
            add(found[next].model)
            next += 1
        }
        return found
    }

    /// Whether models may be deleted together with one of this class.
    package var mayCascade: Bool { relationFields.contains { $0.declaration.cascades } }

    /// Takes this model, and those that `cascade()` gives, out of the fields of all others that are
    /// inverses of theirs: what is to be done when they are deleted.
    ///
    /// Fields between them keep their values, and so do keys: a model that is stored again has them still, and
    /// is then found from their other sides again. The observers of each field are notified once.
    public func nullify() { nullify { _ in true } }

    /// The same of those of the models that are deleted.
    package func nullify(where isDeleted: (any Model) -> Bool) {
        let models: [any Model] = [self] + cascade()
        let together = Set(models.map { ObjectIdentifier($0) })
        batch {
            for model in models where isDeleted(model) {
                for relation in model.ownSchema.relations.all {
                    guard let field = relation.entry.relation(in: model) else { continue }
                    if relation.entry.isForeignKey {
                        field.leave { !together.contains(ObjectIdentifier($0)) }
                    } else {
                        let others = Set(field.relatedModels.map { ObjectIdentifier($0) })
                        field.remove(others.subtracting(together))
                    }
                }
            }
        }
    }

    /// Takes the model out of all fields of others that are inverses of its own, and those models out
    /// of its own.
    ///
    /// Models that have each other keep each other alive; this ends it. Fields without an inverse keep
    /// their values.
    public func unlink() {
        batch {
            for relation in ownSchema.relations.all {
                relation.entry.relation(in: self)?.removeAllModels()
            }
        }
    }

    /// Whether anything was set, read or bound in the models that a field embeds, or in what those embed.
    ///
    /// What inverses have set in them does not count.
    package func hasEmbeddedEdit(in entry: ModelSchema.Entry) -> Bool {
        guard let field = entry.embedding(in: self) else { return false }
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var waiting = field.models
        while let model = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(model)).inserted else { continue }
            let inverses = Set(model.ownSchema.relations.all.map { ObjectIdentifier($0.entry) })
            for entry in model.allEntries {
                let isInverse = inverses.contains(ObjectIdentifier(entry))
                if !isInverse, entry.field(in: model).revision != 0 { return true }
                waiting += entry.embedding(in: model)?.models ?? []
            }
        }
        return false
    }
}

extension ModelSchema.Entry {
    /// The field of a model, if it writes models as dictionaries.
    fileprivate func embedding(in model: any Model) -> (any RelationField)? {
        holdsModels && !isForeignKey ? field(in: model) as? any RelationField : nil
    }
}
