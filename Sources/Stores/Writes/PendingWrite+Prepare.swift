import ModelKitFields
import ModelKitModels

extension ModelWrite {
    /// Prepares writes at the call.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - isBatch: Whether issues have the index of their model.
    ///   - notes: What is known of the models; nil where nothing is.
    ///   - isWriting: Whether a write of a model is under way, which may give it its identifier.
    /// - Returns: The writes, with the values that the models have now.
    /// - Throws: `.validation` with the issues of all models, `.unsupported` for a model that comes twice,
    ///   and what `beforeSave` throws.
    static func prepare(
        _ writes: [ModelWrite],
        isBatch: Bool,
        _ notes: (any KnownModels)? = nil,
        isWriting: (any Model) -> Bool = { _ in false }
    ) throws -> [PendingWrite] {
        // So that saving it is an update.
        func isKnown(_ model: any Model) -> Bool { notes?.known(model) != nil }
        func placed(_ issues: [Issue], _ index: Int) -> [Issue] {
            if issues.isEmpty { return issues }
            let place = writes[index].place ?? (isBatch ? [.index(index)] : [])
            return issues.map { $0.prefixed(by: place) }
        }
        func require(_ issues: [Issue]) throws(StoreError) {
            if issues.isBlocking { throw .validation(issues) }
        }
        try checkDistinct(writes)
        for write in writes where write.hasRules { try write.model.beforeSave() }
        // One for all, which each model would make for itself.
        let found = CheckScope(askingAgain: true).run { _ in
            writes.map { $0.hasRules ? $0.issues(isKnown) : [] }
        }
        try require(writes.withoutRepeats(found).enumerated().flatMap { placed($1, $0) })
        let given = try giveIdentifiers(to: writes, isWriting)
        do {
            try require(
                writes.enumerated().flatMap { placed($1.hasRules ? $1.unsavedKeys() : [], $0) }
            )
            // Whatever goes with several, or is deleted itself, is deleted once.
            var deleted: Set<ObjectIdentifier> = []
            for write in writes where !write.hasRules {
                deleted.insert(ObjectIdentifier(write.model))
            }
            var prepared: [PendingWrite] = []
            prepared.reserveCapacity(writes.count)
            for (index, write) in writes.enumerated() {
                let lacking = placed(write.lackingIssues(isKnown), index)
                let given = given[ObjectIdentifier(write.model)]
                prepared.append(PendingWrite(write, &deleted, lacking, given: given))
            }
            if !deleted.isEmpty {
                for write in writes
                where write.hasRules && deleted.contains(ObjectIdentifier(write.model)) {
                    throw StoreError.deletedAndWritten(write.model)
                }
            }
            if let notes { try require(writes.keysToDeleted(prepared, notes, placed)) }
            return prepared
        } catch {
            for write in writes {
                given[ObjectIdentifier(write.model)].map { write.model.takeBack($0) }
            }
            throw error
        }
    }

    private static func checkDistinct(_ writes: [ModelWrite]) throws(StoreError) {
        guard writes.count > 1 else { return }
        var seen: Set<ObjectIdentifier> = []
        for write in writes where !seen.insert(ObjectIdentifier(write.model)).inserted {
            throw .unsupported(
                "the same \(type(of: write.model).modelName) is to be written twice at once"
            )
        }
    }

    /// What is wrong with what is written of the model.
    private func issues(_ isKnown: (any Model) -> Bool) -> [Issue] {
        // Of a new one all is written.
        let isPart =
            switch action {
            case .update, .save(.merge): model.hasGaps
            case .save: model.hasGaps && isKnown(model)
            case .create, .delete: false
            }
        return isPart ? model.loadedIssues() : model.validationIssues()
    }

    /// The keys to models that were never stored, where there must be one; the others are reported, as null is
    /// written for them.
    func unsavedKeys() -> [Issue] {
        let schema = model.classSchema
        var issues: [Issue] = []
        if !schema.hasRelations { return issues }
        for entry in schema.fields where entry.isForeignKey {
            let field = entry.field(in: model)
            guard field.modelsInField.contains(where: { $0.identifier == nil }) else { continue }
            if entry.needsValue {
                let message = "was never stored; store it before, or save this one including it"
                var issue = Issue(code: "unsaved", path: entry.path, message: message)
                issue.label = field.name
                issues.append(issue)
                continue
            }
            ModelKitDiagnostics.report(
                .unsavedKey,
                "\(schema.name) is written without its \(entry.name), which was never stored; "
                    + "store that before, or save this one including: \\.\(entry.name)",
                field: entry.name
            )
        }
        return issues
    }

    /// What is wrong with the model if nothing is stored of it, which only the write itself finds out.
    private func lackingIssues(_ isKnown: (any Model) -> Bool) -> [Issue] {
        guard case .save(.merge) = action, model.hasGaps, !isKnown(model) else { return [] }
        return model.currentIssues()
    }

    /// Gives new models their identifiers that others of the batch have by foreign keys.
    ///
    /// - Returns: What was given.
    /// - Throws: `.unsupported` where the store makes a number only when it writes the model, and where
    ///   another write makes the model.
    private static func giveIdentifiers(
        to writes: [ModelWrite],
        _ isWriting: (any Model) -> Bool
    ) throws(StoreError) -> [ObjectIdentifier: Identifier] {
        var given: [ObjectIdentifier: Identifier] = [:]
        guard writes.count > 1 else { return given }
        let new = writes.filter { $0.hasRules && $0.model.identifier == nil }
        var waiting = Set(new.map { ObjectIdentifier($0.model) })
        if waiting.isEmpty { return given }
        for write in writes where write.hasRules {
            for (other, isForeignKey) in write.model.modelsInRelations
            where isForeignKey && waiting.remove(ObjectIdentifier(other)) != nil {
                let schema = type(of: other).schema
                if isWriting(other) {
                    throw .unsupported(
                        "\(type(of: write.model).schema.name) has a \(schema.name) by a foreign key "
                            + "that is being created by another write; wait for that"
                    )
                }
                guard let identifier = try Identifier.make(for: schema) else {
                    throw .unsupported(
                        "\(type(of: write.model).schema.name) has a new \(schema.name) of the same "
                            + "batch by a foreign key, whose number is not known before; use a "
                            + "transaction"
                    )
                }
                given[ObjectIdentifier(other)] = identifier
            }
        }
        for write in new { given[ObjectIdentifier(write.model)].map { write.model.give($0) } }
        return given
    }

    var hasRules: Bool { if case .delete = action { false } else { true } }
}

extension [ModelWrite] {
    /// What was found in the models of writes, without what is said of another of them, which says it itself.
    fileprivate func withoutRepeats(_ found: [[Issue]]) -> [[Issue]] {
        if count == 1 || found.allSatisfy({ $0.isEmpty }) { return found }
        let pairs = zip(self, found).map { (ObjectIdentifier($0.model), $1) }
        let byModel = Dictionary(pairs) { $0 + $1 }
        return zip(self, found).map { write, issues in
            issues.filter { issue in
                !write.model.models(along: issue.path).contains { model, rest in
                    byModel[ObjectIdentifier(model)]?.contains {
                        $0.path == rest && $0.code == issue.code && $0.message == issue.message
                    } ?? false
                }
            }
        }
    }
}
