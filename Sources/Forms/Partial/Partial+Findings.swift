import ModelKitEssentials
import ModelKitModels
import ModelKitValues

extension Partial {
    /// What the checks of a validation have found so far.
    struct Findings {
        /// What one check found.
        private struct Finding {
            /// Which of the checks.
            let position: Int
            let reason: Reason
            let issues: [Issue]
        }

        let checks: [Check]
        private var found: [Finding] = []
        /// Which of the checks is run.
        private var position = 0

        /// Runs checks, and keeps what those of them find that are asked for; all of them give names.
        init(
            running checks: [Check],
            on subject: CheckSubject<Root>,
            where isAsked: (Check) -> Bool = { _ in true }
        ) {
            self.checks = checks
            let asked = checks.map(isAsked)
            // Values that are wrong by themselves are not asked to go together, so where that is asked
            // all has to be known.
            let needsAll = zip(checks, asked).contains { $0.isJoint && $1 }
            for isJoint in [false, true] {
                for (index, check) in checks.enumerated()
                where check.isJoint == isJoint && (asked[index] || needsAll) {
                    position = index
                    check.run(subject, &self)
                }
            }
            found.removeAll { !asked[$0.position] }
            found.sort { $0.position < $1.position }
            position = checks.endIndex
        }

        /// Takes what one check found; of a value that is known to be missing nothing more is said.
        mutating func add(_ issues: [Issue], as reason: Reason) {
            if case .missing = reason, reasons.contains(reason) { return }
            found.append(Finding(position: position, reason: reason, issues: issues))
        }

        /// Everything that was found, in the order of the checks.
        var issues: [Issue] { found.flatMap(\.issues) }

        /// What speaks against the form, in the order of the checks, each once.
        var reasons: [Reason] {
            found.reduce(into: []) { reasons, finding in
                if finding.issues.isBlocking && !reasons.contains(finding.reason) {
                    reasons.append(finding.reason)
                }
            }
        }
    }
}

extension Partial.Findings {
    /// Whether something was found that speaks against the value of a property.
    func hasError(of keyPath: any PartialKeyPath<Root> & Sendable) -> Bool {
        reasons.contains { $0.keyPath == keyPath }
    }

    mutating func addMissing(_ keyPath: any PartialKeyPath<Root> & Sendable) {
        let name = checks.lazy.filter { $0.keyPaths.contains { $0 == keyPath } }
            .compactMap(\.name).first
        let path = name.map(FieldPath.init(key:)) ?? []
        add([Issue(code: "required", path: path, message: "is required")], as: .missing(keyPath))
    }

    /// The property that a check names so.
    func keyPath(named name: String) -> (any PartialKeyPath<Root> & Sendable)? {
        checks.first { $0.name == name }?.keyPaths.first
    }
}

extension Partial.Findings where Root: PartialInitializable {
    /// Makes the value, if nothing speaks against it.
    mutating func verdict(on partial: Partial<Root>) -> Partial<Root>.Verdict {
        guard reasons.isEmpty else { return .invalid(reasons) }
        do {
            return .valid(try Root(from: partial))
        } catch let error as PartialError<Root> {
            switch error {
            case .keyPathNotSet(let keyPath): addMissing(keyPath)
            }
        } catch let issue as Issue {
            add(issue)
        } catch let error as ImportError {
            for issue in error.issues { add(issue) }
            if reasons.isEmpty { add(Issue(message: "is invalid")) }
        } catch {
            let text = (error as? any LocalizedError)?.errorDescription
            add(Issue(message: text ?? String(describing: error)))
        }
        return .invalid(reasons)
    }

    /// Takes an issue that the initialiser threw: an error, however severe it says it is.
    private mutating func add(_ issue: Issue) {
        var issue = issue
        issue.severity = .error
        var keyPath: (any PartialKeyPath<Root> & Sendable)?
        if case .key(let name) = issue.path.components.first { keyPath = self.keyPath(named: name) }
        add([issue], as: .invalidValue(keyPath ?? Partial.whole))
    }
}
