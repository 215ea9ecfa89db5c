import ModelKitFields
import ModelKitModels

/// A relation that is written together with the models that have it, and relations of its members.
struct GraphRelation: Sendable {
    let field: @Sendable (any Model) -> AnyField?
    var inner: [GraphRelation] = []
}

/// The writes of a model and of the members of its relations: first what keys lead to, then the model, then its
/// members, and those that were taken out.
struct GraphWrites {
    private(set) var writes: [ModelWrite] = []
    /// Why it cannot be written with one of the relations, which has no models with records.
    private(set) var refusal: StoreError?
    private let session: StoreSession?
    private let root: ModelWrite
    private var seen: Set<ObjectIdentifier>

    /// - Parameters:
    ///   - write: The write of the model.
    ///   - relations: What is written, too.
    ///   - session: What the store knows; nil of a store that does not say.
    init(_ write: ModelWrite, _ relations: [GraphRelation], _ session: StoreSession?) {
        root = write
        self.session = session
        seen = [ObjectIdentifier(write.model)]
        add(write.model, write, relations, at: [])
    }

    /// Adds a model and its relations.
    private mutating func add(
        _ model: any Model,
        _ write: ModelWrite?,
        _ relations: [GraphRelation],
        at path: FieldPath
    ) {
        let schema = model.classSchema
        let found = relations.compactMap { relation -> (GraphRelation, ModelSchema.Entry)? in
            guard let field = relation.field(model) else { return nil }
            return schema.allFields.first { $0.field(in: model) === field }.map { (relation, $0) }
        }
        for (_, entry) in found where !entry.isForeignKey && !entry.isDerived {
            refusal = refusal ?? schema.refusal(ofIncluding: entry)
        }
        for (relation, entry) in found where entry.isForeignKey {
            let place = path.appending(entry.path)
            add(entry.field(in: model).modelsInField, of: entry, relation, at: place)
        }
        if var write {
            write.place = path
            writes.append(write)
        }
        for (relation, entry) in found where entry.isDerived {
            guard let derived = schema.derivedRelations.first(where: { $0.entry === entry }),
                let field = derived.field(of: model)
            else { continue }
            let place = path.appending(entry.path)
            add(field.members, of: entry, relation, at: place, owner: model)
            for member in field.taken { add(taken: member, from: model, derived, at: place) }
        }
    }

    private mutating func add(
        _ members: [any Model],
        of entry: ModelSchema.Entry,
        _ relation: GraphRelation,
        at path: FieldPath,
        owner: (any Model)? = nil
    ) {
        for (index, member) in members.enumerated()
        where seen.insert(ObjectIdentifier(member)).inserted {
            let place = entry.elementSchema == nil ? path : path.appending(index: index)
            var write = write(of: member)
            write?.owner = owner
            add(member, write, relation.inner, at: place)
        }
    }

    /// The write of a member; nil if there is nothing to write.
    private func write(of member: any Model) -> ModelWrite? {
        if let session, session.known(member) != nil {
            return session.hasEdits(member) ? .update(member) : nil
        }
        // Of what is only known by its identifier there is a record.
        if member.hasGaps { return member.hasLoadedValues ? .update(member) : nil }
        switch root.action {
        case .save(let onConflict): return .save(member, onConflict: onConflict)
        default:
            let isUnderWay = session?.isWriting(member) ?? true
            return isUnderWay ? .save(member) : .create(member)
        }
    }

    /// Adds a member that was taken out, if the store does not know that.
    private mutating func add(
        taken member: any Model,
        from owner: any Model,
        _ relation: DerivedRelation,
        at path: FieldPath
    ) {
        guard !seen.contains(ObjectIdentifier(member)) else { return }
        if let session, !session.isMember(member, of: owner, relation.key) {
            relation.field(of: owner)?.forgetTaken(member)
            return
        }
        let isAlone = relation.owners(of: member).isEmpty
        seen.insert(ObjectIdentifier(member))
        var write: ModelWrite = isAlone && relation.cascades ? .delete(member) : .update(member)
        write.place = path
        writes.append(write)
    }
}

extension ModelSchema {
    /// That the models of a field have no records that could be written together with their owner.
    fileprivate func refusal(ofIncluding entry: Entry) -> StoreError {
        let place = "\(name).\(entry.name)"
        guard let partner = entry.partnerSchema else {
            return .unsupported("\(place) is no relation that could be written by including: it")
        }
        // Of one to many the side for one is the key.
        let inverse = entry.elementSchema == nil ? nil : inverse(of: entry)
        let key = inverse.map { "\(partner.name).\($0.name)" } ?? place
        return .unsupported(
            "\(place) keeps its models itself and is always written with them, so that there is nothing to write "
                + "by including: it; to give each a record of its own, declare \(key) with foreignKey: true"
        )
    }
}

extension Model {
    /// Whether more of it is known than its identifier.
    fileprivate var hasLoadedValues: Bool {
        let schema = classSchema
        return schema.fields.contains { $0 !== schema.identifier && $0.isLoaded(in: self) }
    }
}
