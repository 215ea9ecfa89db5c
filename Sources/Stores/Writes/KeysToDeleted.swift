import ModelKitFields
import ModelKitModels

extension [ModelWrite] {
    /// The keys with other sides that would lead to deleted records, where these are not written again.
    func keysToDeleted(
        _ prepared: [PendingWrite],
        _ notes: any KnownModels,
        _ placed: ([Issue], Int) -> [Issue]
    ) -> [Issue] {
        var issues: [Issue] = []
        var deleted: Set<ObjectIdentifier> = []
        lazy var written = Set(filter(\.hasRules).map { ObjectIdentifier($0.model) })
        lazy var keys = Set(filter(\.hasRules).compactMap(\.model.recordKey))
        for (index, write) in enumerated() {
            if !write.hasRules {
                if count > 1 {
                    deleted.formUnion(prepared[index].models.map { ObjectIdentifier($0) })
                }
                continue
            }
            for deriving in write.model.classSchema.derivingKeys {
                let field = deriving.key.field(in: write.model)
                for (place, target) in field.modelsInField.enumerated()
                where deleted.contains(ObjectIdentifier(target)) || notes.isDeleted(target) {
                    if written.contains(ObjectIdentifier(target)) { continue }
                    if let key = target.recordKey, keys.contains(key) { continue }
                    if !write.sends(deriving.key, notes) { continue }
                    // One that is deleted itself is not found, whatever its keys are.
                    if case .update = write.action, notes.isGone(write.model) { continue }
                    var issue = target.deletedIssue(at: deriving.key.path)
                    if field.elementField != nil {
                        issue.path = issue.path.appending([.index(place)])
                    }
                    issue.label = field.name
                    issues += placed([issue], index)
                }
            }
        }
        return issues
    }
}

extension ModelWrite {
    /// Whether a field is written, and not only what was edited besides.
    fileprivate func sends(_ entry: ModelSchema.Entry, _ notes: any KnownModels) -> Bool {
        // One that is being deleted is written whole, if it is saved after that.
        guard let known = notes.known(model), !notes.isDeleted(model) else { return true }
        let schema = model.classSchema
        let changes = Snapshot(of: model, schema).changes(since: known.agreements, schema)
        return changes[entry.key] != nil
    }
}

extension Model {
    /// What identifies its record.
    var recordKey: IdentityMap.Key? {
        identifier.map { IdentityMap.Key(of: self, $0) }
    }

    fileprivate func deletedIssue(at path: FieldPath) -> Issue {
        let name = classSchema.name
        let title = identifier.map { "\(name) \($0)" } ?? name
        var parameters: [String: AttributeValue] = ["type": .string(name)]
        parameters["identifier"] = identifier?.attributeValue
        return Issue(
            code: "deleted",
            path: path,
            message: "leads to \(title), which is deleted",
            parameters: parameters
        )
    }
}
