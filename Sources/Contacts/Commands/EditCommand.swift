import ModelKit

/// Changes fields of a person or an office, if its rules allow it.
struct EditCommand {
    let store: any ModelStore

    func run(_ identifier: String, _ changes: [Command.Change]) async throws {
        switch try await find(store, identifier) {
        case .person(let person):
            let draft = person.draft()
            try await save(draft, try edit(draft, changes))
        case .office(let office):
            let draft = office.draft()
            var issues = try edit(draft, changes)
            if let person = draft.person.value,
                try await store.list(Person.self, where: \.bioguide == person).isEmpty
            {
                issues.append(.unknownPerson(person, at: ["person"]))
            }
            try await save(draft, issues)
        }
    }

    /// Sets the fields and gives what is wrong then: all of it.
    private func edit<M: Model>(
        _ draft: ModelDraft<M>,
        _ changes: [Command.Change]
    ) throws -> [Issue] {
        var issues: [Issue] = []
        for change in changes {
            let entry = try entry(named: change.key, in: M.schema)
            let value = AttributeValue(text: change.value, kind: entry.kind)
            do throws(ImportError) {
                try draft.scratch.read(dictionaryValue: .nesting(value, at: entry.key))
            } catch {
                issues += error.issues
            }
        }
        return issues + draft.validationIssues().filter { $0.severity == .error }
    }

    private func save<M: Model>(_ draft: ModelDraft<M>, _ issues: [Issue]) async throws {
        if !issues.isEmpty { throw Failure.refused(issues.map(\.description)) }
        let model = try draft.commit()
        _ = try await store.update(model).value
        try Console.print("\(model.identifier?.description ?? "") is changed")
    }

    private func entry(named key: String, in schema: ModelSchema) throws -> ModelSchema.Entry {
        let editable = schema.fields.filter { entry in
            entry.kind != .array && entry.kind != .dictionary
                && entry.name != schema.identifier?.name
        }
        if let entry = editable.first(where: { $0.name == key || $0.key.description == key }) {
            return entry
        }
        let names = editable.map(\.name).joined(separator: ", ")
        throw Failure.unreadable("\(schema.name) has no key \"\(key)\" to edit; it has \(names)")
    }
}

extension AttributeValue {
    /// A value as it is typed: of the kind, if it reads as such, otherwise a text for the field to
    /// refuse.
    ///
    /// An empty text is nil.
    fileprivate init(text: String, kind: AttributeKind) {
        if text.isEmpty {
            self = .null
            return
        }
        switch kind {
        case .int: self = Int64(text).map { .int($0) } ?? .string(text)
        case .double: self = Double(text).map { .double($0) } ?? .string(text)
        case .bool: self = Bool(text).map { .bool($0) } ?? .string(text)
        default: self = .string(text)
        }
    }
}
