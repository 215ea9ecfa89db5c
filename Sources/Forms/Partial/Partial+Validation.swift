public import ModelKitValues

extension Partial {
    /// What a form has to satisfy, declared once.
    ///
    /// ```swift
    /// static let validation = Partial<User>.Validation(
    ///     .required(\.firstName, "firstName"),
    ///     .value(\.firstName, "firstName", .length(3...20)),
    ///     .together(\.password, \.confirm, report: "confirm", "doesn't match") { $0 == $1 }
    /// )
    ///
    /// switch validation.validate(partial) {
    /// case .valid(let user): save(user)
    /// case .invalid(let reasons): highlight(reasons.map(\.keyPath))
    /// }
    /// ```
    ///
    /// Missing is what is not set, and what is set to nil.
    public struct Validation<Outcome>: Sendable {
        /// What `validate(_:)` returns.
        public typealias Result = Outcome

        /// One of those things that are checked.
        public typealias Strategy = Check

        /// What is checked, in the order of declaration.
        public let checks: [Check]

        private let conclude: @Sendable (Partial, inout Findings) -> Outcome

        /// Checks a form: its outcome alone.
        public func validate(_ partial: Partial) -> Outcome {
            report(on: partial).outcome
        }

        /// Checks a form: its outcome, and what to say about it.
        public func report(on partial: Partial) -> Report {
            var findings = Findings(running: checks, on: .partial(partial))
            let outcome = conclude(partial, &findings)
            return Report(outcome: outcome, issues: findings.issues)
        }
    }
}

extension Partial.Validation {
    /// What a validation says about a form.
    ///
    /// ```swift
    /// let report = validation.report(on: partial)
    /// report.issues.map(\.description)   // ["firstName is required", "confirm doesn't match"]
    /// ```
    public struct Report {
        public let outcome: Outcome

        /// What was found, in the order of declaration, warnings too; last, what the initialiser
        /// threw.
        public let issues: [Issue]
    }

    /// Demands a value for each of the properties.
    ///
    /// A key path that is given twice is reported once.
    public init(
        requiredKeyPaths first: any PartialKeyPath<Root> & Sendable,
        _ rest: any PartialKeyPath<Root> & Sendable...
    ) where Outcome == Partial<Root>.Completeness {
        checks = ([first] + rest).map { .required($0) }
        conclude = { _, findings in
            findings.reasons.isEmpty ? .valid : .incomplete(findings.reasons.map(\.keyPath))
        }
    }

    /// Runs checks, and makes the value if all pass.
    public init(_ checks: Partial<Root>.Check...)
    where Outcome == Partial<Root>.Verdict, Root: PartialInitializable {
        self.init(checks)
    }

    /// Runs checks, and makes the value if all pass.
    public init(_ checks: [Partial<Root>.Check])
    where Outcome == Partial<Root>.Verdict, Root: PartialInitializable {
        self.checks = checks
        conclude = { partial, findings in findings.verdict(on: partial) }
    }
}

extension Partial.Validation {
    /// The properties that have to have a value, whatever else is demanded of them.
    public var requiredKeyPaths: Set<PartialKeyPath<Root>> {
        let required = checks.filter { $0.demand.constraint.refusesNil }
        return Set(required.flatMap { $0.keyPaths.map { $0 as PartialKeyPath<Root> } })
    }
}

extension Partial.Validation.Report: Sendable where Outcome: Sendable {}
