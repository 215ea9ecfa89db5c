public import ModelKitModels
import ModelKitPromises
public import ModelKitEssentials

/// Whether a write that failed has left anything behind.
///
/// ```swift
/// if error.outcome == .unknown { showThatItMayBeSaved() }
/// ```
public enum Outcome: Sendable, Hashable {
    case notApplied, applied, unknown
}

/// Why a store did not do what it was asked for.
///
/// The cases are the same in every store.
///
/// ```swift
/// do {
///     try await store.create(person).value
/// } catch StoreError.validation(let issues) {
///     for issue in issues { print(issue) }
/// }
/// ```
public enum StoreError: Error, Sendable, Hashable {
    /// There is no model with this identifier.
    case notFound(type: String, identifier: Identifier)
    /// There is one with this identifier already; or one that has the value of a unique field, which is
    /// named then.
    case alreadyExists(type: String, identifier: Identifier, field: FieldKey? = nil)
    /// Another write came between: the model was written since this store's user read it.
    case conflict(Conflict)
    /// The model breaks rules, so it was not sent.
    case validation([Issue])
    /// The model has no identifier, so there is nothing to update or delete.
    case noIdentifier(type: String)
    /// What is stored does not fit the model's fields.
    case decoding(type: String, identifier: Identifier, [Issue])
    /// The store does not know who asks: credentials are missing, wrong or have expired.
    case unauthorized(String)
    /// Whoever asks may not do this.
    case forbidden(String)
    /// The store cannot do this.
    case unsupported(String)
    /// The store cannot be reached now: it is locked, full, or its file cannot be opened.
    case unavailable(String, Outcome)
    /// Nobody waits for it any more.
    case cancelled(Outcome)
    /// It was not done in time.
    case timedOut(Outcome)
    /// What is stored is damaged.
    ///
    /// It was left as it is.
    case corrupt(String)
    /// The types or their tables do not fit each other.
    case schema(String)

    /// A record that was written since it was read.
    ///
    /// ```swift
    /// if case .conflict(let conflict) = error { print(conflict.theirs.values) }
    /// ```
    ///
    /// It is mostly handled by an update that says beforehand how conflicts are resolved: see
    /// ``ConflictResolution``.
    public struct Conflict: Sendable, Hashable {
        public let type: String
        public let identifier: Identifier
        /// The revision that the writer knew.
        public let base: Int64
        /// What the writer wanted to set.
        public let mine: [FieldKey: AttributeValue]
        /// What is stored now.
        public let theirs: Record
        /// The values that the record had when the writer read or wrote it; nil where that is not known.
        public var baseValues: [FieldKey: AttributeValue]?

        public init(
            type: String,
            identifier: Identifier,
            base: Int64,
            mine: [FieldKey: AttributeValue],
            theirs: Record,
            baseValues: [FieldKey: AttributeValue]? = nil
        ) {
            self.type = type
            self.identifier = identifier
            self.base = base
            self.mine = mine
            self.theirs = theirs
            self.baseValues = baseValues
        }
    }

    /// The name of the case, which reveals nothing of the models: `"conflict"`.
    public var code: String {
        switch self {
        case .notFound: "notFound"
        case .alreadyExists: "alreadyExists"
        case .conflict: "conflict"
        case .validation: "validation"
        case .noIdentifier: "noIdentifier"
        case .decoding: "decoding"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .unsupported: "unsupported"
        case .unavailable: "unavailable"
        case .cancelled: "cancelled"
        case .timedOut: "timedOut"
        case .corrupt: "corrupt"
        case .schema: "schema"
        }
    }

    /// Whether the write has left anything behind.
    public var outcome: Outcome {
        switch self {
        case .unavailable(_, let outcome), .cancelled(let outcome), .timedOut(let outcome): outcome
        default: .notApplied
        }
    }
}

/// Of a cancelled read: one for all, as making an existential error allocates.
let readCancellation: any Error = StoreError.cancelled(.notApplied)

extension StoreError: CancellableError {
    package var isCancellation: Bool {
        if case .cancelled = self { true } else { false }
    }
}

extension StoreError: IssuesError, LocalizedError {
    /// What is wrong with the model; none of another error.
    public var issues: [Issue] {
        switch self {
        case .validation(let issues): issues
        case .alreadyExists(_, _, let field?):
            [Issue(code: "unique", path: field.path, message: "is taken already")]
        default: []
        }
    }

    public var description: String {
        switch self {
        case .notFound(let type, let identifier): "there is no \(type) \(identifier)"
        case .alreadyExists(let type, let identifier, nil):
            "\(type) \(identifier) is there already"
        case .alreadyExists(let type, let identifier, let field?):
            "\(type) \(identifier) has the same \(field) already"
        case .cancelled(let outcome): "it was cancelled, \(outcome.text)"
        case .timedOut(let outcome): "it took too long, \(outcome.text)"
        case .conflict(let conflict):
            "\(conflict.type) \(conflict.identifier) was changed by somebody else meanwhile"
        case .validation(let issues): issues.map(\.description).joined(separator: "; ")
        case .noIdentifier(let type): "the \(type) has no identifier"
        case .decoding(let type, let identifier, let issues):
            "the stored \(type) \(identifier) does not fit: "
                + issues.map(\.description).joined(separator: "; ")
        case .unauthorized(let reason), .forbidden(let reason), .unsupported(let reason),
            .unavailable(let reason, _), .corrupt(let reason), .schema(let reason):
            reason
        }
    }

    public var errorDescription: String? { description }
}

extension Outcome {
    fileprivate var text: String {
        switch self {
        case .notApplied: "before anything was written"
        case .applied: "after it was written"
        case .unknown: "and may be written or not"
        }
    }
}
