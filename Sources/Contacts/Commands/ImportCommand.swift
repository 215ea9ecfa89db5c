import ModelKit

/// Reads records, refuses those that break rules and stores the others in one batch.
struct ImportCommand {
    private let source: ImportSource
    private let store: any ModelStore

    init(_ source: ImportSource, into store: any ModelStore) {
        self.source = source
        self.store = store
    }

    /// A record that is not stored: its index in the file, and what is wrong where.
    private struct Refusal {
        let index: Int
        let issues: [Issue]

        var line: String {
            "refused [\(index)] " + issues.map(\.withPath).joined(separator: "; ")
        }
    }

    /// Runs the import and gives the exit status.
    func run(_ database: String) async throws -> Int32 {
        switch source.kind {
        case .people: try await importPeople(into: database)
        case .offices: try await importOffices(into: database)
        }
    }

    private func importPeople(into database: String) async throws -> Int32 {
        var known = try await identifiers(of: Person.self)
        return try await importRecords("people", into: database) {
            (record, people: inout [Person], _) throws(ImportError) in
            let person: Person = try read(record)
            try accept(person, known: &known)
            people.append(person)
        }
    }

    private func importOffices(into database: String) async throws -> Int32 {
        let people = try await identifiers(of: Person.self)
        var known = try await identifiers(of: Office.self)
        return try await importRecords("offices", into: database) {
            (group, offices: inout [Office], refuse) throws(ImportError) in
            let person = try owner(of: group, among: people)
            guard case .dictionary(let content) = group,
                case .array(let records)? = content["offices"]
            else {
                throw ImportError(issues: [
                    Issue(code: "type", path: ["offices"], message: "must be an array")
                ])
            }
            for (position, record) in records.enumerated() {
                let path: FieldPath = ["offices", .index(position)]
                do throws(ImportError) {
                    let office: Office = try read(record)
                    office.person.value = person
                    try accept(office, known: &known)
                    offices.append(office)
                } catch {
                    refuse(error.issues.map { $0.below(path) })
                }
            }
        }
    }

    /// Stores what is made of the records; one of which nothing is made, or not all, is refused.
    private func importRecords<M: Model>(
        _ what: String,
        into database: String,
        _ take: (AttributeValue, inout [M], (_ issues: [Issue]) -> Void) throws(ImportError) -> Void
    ) async throws -> Int32 {
        var models: [M] = []
        var refusals: [Refusal] = []
        let progress = ProgressBar(source.records.count, label: what)
        for (index, record) in source.records.enumerated() {
            func refuse(_ issues: [Issue]) {
                refusals.append(Refusal(index: index, issues: issues))
            }
            do throws(ImportError) {
                try take(record.withoutEmptyTexts, &models, refuse)
            } catch {
                refuse(error.issues)
            }
            progress.advance()
        }
        progress.finish()
        _ = try await store.create(models).value
        return try report(models.count, what, refusals, "\(database)\(progress.time)")
    }

    private func read<M: Model>(_ record: AttributeValue) throws(ImportError) -> M {
        guard case .dictionary(let dictionary) = record else {
            throw ImportError(issues: [
                Issue(code: "type", message: "must be a dictionary, not \(record.kind)")
            ])
        }
        return try M(dictionaryValue: dictionary)
    }

    /// Checks the rules of a model, and that it is not there yet.
    private func accept<M: Model>(
        _ model: M,
        known: inout Set<Identifier>
    ) throws(ImportError) {
        let issues = model.validationIssues().filter { $0.severity == .error }
        if !issues.isEmpty { throw ImportError(issues: issues) }
        guard let identifier = model.identifier else { return }
        if !known.insert(identifier).inserted {
            throw ImportError(issues: [
                Issue(
                    code: "unique",
                    path: M.schema.identifier?.path ?? [],
                    message: "\(identifier) is stored already"
                )
            ])
        }
    }

    /// The person that a group of offices belongs to.
    private func owner(
        of group: AttributeValue,
        among people: Set<Identifier>
    ) throws(ImportError) -> String {
        let path: FieldPath = ["id", "bioguide"]
        guard case .dictionary(let content) = group, case .dictionary(let ids)? = content["id"],
            case .string(let person)? = ids["bioguide"]
        else {
            throw ImportError(issues: [Issue(code: "required", path: path, message: "is required")])
        }
        if !people.contains(.string(person)) {
            throw ImportError(issues: [.unknownPerson(person, at: path)])
        }
        return person
    }

    private func identifiers<M: Model>(of type: M.Type) async throws -> Set<Identifier> {
        Set(try await store.list(type).value.compactMap(\.identifier))
    }

    private func report(
        _ count: Int,
        _ what: String,
        _ refusals: [Refusal],
        _ place: String
    ) throws -> Int32 {
        try Console.print("\(count) \(what) stored in \(place)")
        if refusals.isEmpty { return 0 }
        for refusal in refusals { try Console.print(refusal.line) }
        try Console.print("\(refusals.count) refused")
        return 1
    }
}

extension Issue {
    /// An office's person is not there.
    static func unknownPerson(_ person: String, at path: FieldPath) -> Issue {
        Issue(code: "unknown", path: path, message: "\(person) is no person that is stored")
    }

    /// The same issue inside of something else.
    func below(_ outer: FieldPath) -> Issue {
        var issue = self
        issue.path = outer.appending(path)
        return issue
    }
}

extension Issue {
    /// The path and the message: of many records and terms, a name would not say which one it is.
    var withPath: String { path.isEmpty ? message : "\(path) \(message)" }
}
