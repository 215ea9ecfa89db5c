import ModelKit

/// Reads records, refuses those that break rules and stores the others, all or none of them.
struct ImportCommand {
    let source: ImportSource
    let store: any RecordModelStore

    /// Runs the import and gives the exit status.
    func run(_ place: String) async throws -> Int32 {
        let progress = ProgressBar(label: source.kind.rawValue)
        let summary: ImportSummary
        do {
            summary =
                switch source.kind {
                case .people: try await store.importModels(elements(Person.self, progress))
                case .offices:
                    // Before the import, which the file may have to itself.
                    try await importOffices(of: persons(), progress)
                }
        } catch let error as ImportError {
            progress.finish()
            throw Failure.unreadable("\(source.file) \(error)")
        }
        progress.finish()
        return try report(summary, "\(place)\(progress.time)")
    }

    private func importOffices(
        of persons: Set<String>,
        _ progress: ProgressBar
    ) async throws -> ImportSummary {
        try await store.importModels(
            elements(OfficeGroup.self, progress).flatMap { $0.offices(ofAnyOf: persons) }
        )
    }

    /// The identifiers of all persons that are stored.
    private func persons() async throws -> Set<String> {
        var persons: Set<String> = []
        for try await page in store.pages(of: Person.self) {
            persons.formUnion(page.compactMap(\.bioguide.value))
        }
        return persons
    }

    private func elements<M: Model>(
        _ type: M.Type,
        _ progress: ProgressBar
    ) -> ModelElements<M, FileChunks> {
        M.stream(
            source.chunks,
            byteCount: source.chunks.byteCount,
            options: JSONOptions(emptyTexts: .null)
        ) { progress.advance(to: $0) }.elements
    }

    private func report(_ summary: ImportSummary, _ place: String) throws -> Int32 {
        try Console.print("\(summary.createdCount) \(source.kind.rawValue) stored in \(place)")
        if summary.refusedCount == 0 { return 0 }
        for refusal in summary.refusals {
            let index = FieldPath(Array(refusal.path.components.prefix(1)))
            let rest = FieldPath(Array(refusal.path.components.dropFirst()))
            let issues = refusal.issues.filter { $0.severity == .error }
            let text = issues.map { $0.below(rest).withPath }.joined(separator: "; ")
            try Console.print("refused \(index) \(text)")
        }
        let others = summary.refusedCount - summary.refusals.count
        try Console.print(
            "\(summary.refusedCount) refused\(others > 0 ? ", \(others) of which are not listed" : "")"
        )
        return 1
    }
}

/// The offices of a person, as files have them.
final class OfficeGroup: Model {
    let id = Field<AttributeValue>()
    let offices = Field<AttributeValue>()
}

extension ImportElement<OfficeGroup> {
    /// The offices of the group, each at its place there.
    fileprivate func offices(
        ofAnyOf persons: Set<String>
    ) -> AsyncStream<ImportElement<Office>> {
        var offices: [ImportElement<Office>] = []
        do throws(ImportError) {
            let group = try model.get()
            let person = try group.owner(among: persons)
            guard case .array(let records)? = group.offices.value else {
                throw ImportError("type", ["offices"], "must be an array")
            }
            for (index, record) in records.enumerated() {
                let path = path.appending(["offices", .index(index)])
                offices.append(ImportElement<Office>(path: path, Office.of(person, record)))
            }
        } catch {
            offices.append(ImportElement<Office>(path: path, .failure(error)))
        }
        return AsyncStream { [offices] continuation in
            for office in offices { continuation.yield(office) }
            continuation.finish()
        }
    }
}

extension OfficeGroup {
    /// The person whose offices they are.
    fileprivate func owner(among persons: Set<String>) throws(ImportError) -> String {
        let path: FieldPath = ["id", "bioguide"]
        guard case .dictionary(let ids)? = id.value, case .string(let person)? = ids["bioguide"]
        else { throw ImportError("required", path, "is required") }
        if persons.contains(person) { return person }
        throw ImportError(issues: [.unknownPerson(person, at: path)])
    }
}

extension Office {
    fileprivate static func of(
        _ person: String,
        _ record: AttributeValue
    ) -> Result<Office, ImportError> {
        guard case .dictionary(let dictionary) = record else {
            let message = "must be a dictionary, not \(record.kind)"
            return .failure(ImportError("type", [], message))
        }
        return Result { () throws(ImportError) in
            let office = try Office(dictionaryValue: dictionary)
            office.person.value = person
            return office
        }
    }
}

extension ImportError {
    fileprivate init(_ code: String, _ path: FieldPath, _ message: String) {
        self.init(issues: [Issue(code: code, path: path, message: message)])
    }
}

extension Issue {
    /// An office's person is not there.
    static func unknownPerson(_ person: String, at path: FieldPath) -> Issue {
        Issue(code: "unknown", path: path, message: "\(person) is no person that is stored")
    }

    /// The same issue inside of something else.
    fileprivate func below(_ outer: FieldPath) -> Issue {
        var issue = self
        issue.path = outer.appending(path)
        return issue
    }

    /// The path and the message: of many records and terms, a name would not say which one it is.
    fileprivate var withPath: String { path.isEmpty ? message : "\(path) \(message)" }
}
