public import ModelKitValues

/// What a validation began with.
@usableFromInline
struct ValidationBasis: Sendable {
    /// That of the value.
    @usableFromInline let revision: UInt64
    /// What others than the field know against it.
    @usableFromInline let known: [Issue]
    /// How many rules there were, async ones too.
    @usableFromInline var ruleCount = 0
    /// A set with a greater revision, also of what the rules have read beside, came later.
    @usableFromInline let start = Revision.current

    @inlinable
    init(revision: UInt64, knowing known: [Issue]) {
        self.revision = revision
        self.known = known
    }
}

/// What a validation found.
@usableFromInline
struct Findings {
    @usableFromInline let issues: [Issue]
    /// Whether async rules have not answered yet.
    @usableFromInline let isPending: Bool

    @inlinable
    init(issues: [Issue], isPending: Bool = false) {
        self.issues = issues
        self.isPending = isPending
    }

    /// Whether the value is valid, and there is nothing more to report.
    @inlinable
    var isPlain: Bool { issues.isEmpty && !isPending }
}

extension ValidationState {
    @usableFromInline
    init(_ findings: Findings) {
        self.init(issues: findings.issues, isPending: findings.isPending)
    }

    /// The state that a field keeps.
    init(_ verdict: Verdict, _ issues: [Issue]) {
        switch verdict {
        case .unknown: self = .unknown
        case .valid: self = .valid
        case .invalid: self = .invalid(issues.blockingMessages)
        }
    }
}
