public import ModelKitFields

/// What an import does about values that do not fit their fields.
///
/// ```swift
/// let report = ImportReport()
/// let people = try [Person](json: json, policy: .skipInvalid(report))
/// for issue in report.issues { print("left out:", issue) }
/// ```
public enum ImportPolicy: Sendable {
    /// It throws an `ImportError` with all of them.
    case strict
    /// It leaves them out and adds them to a report: a field keeps its value, an array and a model are taken
    /// without the elements and the fields that do not fit.
    ///
    /// What is not JSON at all, or where a whole model or array of models is something else, is thrown
    /// all the same.
    case skipInvalid(ImportReport? = nil)
}

/// What imports have left out.
///
/// One can be given to several imports, on any thread.
///
/// ```swift
/// let report = ImportReport()
/// try person.read(dictionaryValue: ["tags": ["red", 7]], policy: .skipInvalid(report))
/// report.issues.map(\.description)   // ["tags[1] must be a string, not an integer"]
/// ```
public final class ImportReport: Sendable {
    private let found = Guarded<[ImportError]>([])

    public init() {}

    /// What was left out and why, in the order in which it was found.
    public var issues: [Issue] { errors.flatMap(\.issues) }

    /// What each import that left something out would have thrown, also with the places in its text.
    public var errors: [ImportError] { found.withLock { $0 } }

    func add(_ error: ImportError) { found.withLock { $0.append(error) } }
}

extension ImportReport: CustomStringConvertible {
    /// The issues, each on a line.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}

extension ImportScope {
    init(in context: ValueTransformerContext, policy: ImportPolicy) {
        if case .skipInvalid = policy {
            self.init(in: context.registry, skipsInvalid: true)
        } else {
            self.init(in: context.registry)
        }
        isDroppable = IdentityMap.importing == nil
    }

    /// Gives the model of an import, or throws or reports what was found.
    func finish<M: Model>(
        _ model: M?,
        _ policy: ImportPolicy,
        at places: [JSONPlace] = []
    ) throws(ImportError) -> M {
        guard let model else { throw ImportError(issues: issues, places: places) }
        try finish(policy, at: places)
        return model
    }

    /// Throws or reports what was found.
    func finish(_ policy: ImportPolicy, at places: [JSONPlace] = []) throws(ImportError) {
        if issues.isEmpty { return }
        let error = ImportError(issues: issues, places: places)
        switch policy {
        case .strict: throw error
        case .skipInvalid(let report): report?.add(error)
        }
    }
}
