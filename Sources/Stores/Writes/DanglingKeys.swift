import ModelKitFields
import ModelKitModels

extension [ModelWrite] {
    /// The keys with other sides that would lead to deleted records, where these are not written again.
    func danglingKeys(
        _ prepared: [PreparedWrite],
        isBatch: Bool,
        _ notes: any WriteNotes
    ) -> [Issue] {
        var issues: [Issue] = []
        var deleted: Set<ObjectIdentifier> = []
        var written: (objects: Set<ObjectIdentifier>, keys: Set<IdentityMap.Key>)?
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
                    let all = written ?? (objects: writtenObjects, keys: writtenKeys)
                    written = all
                    if all.objects.contains(ObjectIdentifier(target)) { continue }
                    if let key = target.recordKey, all.keys.contains(key) { continue }
                    if !write.sends(deriving.key, notes) { continue }
                    // One that is deleted itself is not found, whatever its keys are.
                    if case .update = write.action, notes.isGone(write.model) { continue }
                    var issue = target.deletedIssue(at: deriving.key.path)
                    if field.elementField != nil {
                        issue.path = issue.path.appending([.index(place)])
                    }
                    issue.label = field.name
                    let lead = write.place ?? (isBatch ? [.index(index)] : [])
                    issues.append(issue.prefixed(by: lead))
                }
            }
        }
        return issues
    }

    private var writtenObjects: Set<ObjectIdentifier> {
        Set(filter(\.hasRules).map { ObjectIdentifier($0.model) })
    }

    private var writtenKeys: Set<IdentityMap.Key> {
        Set(filter(\.hasRules).compactMap(\.model.recordKey))
    }
}

extension ModelWrite {
    /// Whether a field is written, and not only what was edited besides.
    fileprivate func sends(_ entry: ModelSchema.Entry, _ notes: any WriteNotes) -> Bool {
        // One that is being deleted is written whole, if it is saved after that.
        guard let known = notes.known(model), !notes.isDeleted(model) else { return true }
        let schema = model.classSchema
        let changes = Snapshot(of: model, schema).changes(since: known.agreements, schema)
        return changes[entry.key] != nil
    }
}

extension Model {
    fileprivate var recordKey: IdentityMap.Key? {
        let type = ObjectIdentifier(type(of: self))
        return identifier.map { IdentityMap.Key(type: type, identifier: $0) }
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
