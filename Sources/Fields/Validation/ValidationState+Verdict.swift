import ModelKitValues

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
