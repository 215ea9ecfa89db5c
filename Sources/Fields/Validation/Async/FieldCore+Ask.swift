public import ModelKitValues

extension FieldCore {
    /// Goes on where the other rules are through: keeps what they have found, if that is enough, or
    /// has the async rules asked, if they have not answered about this value.
    @usableFromInline @inline(never)
    final func ask(about value: Value?, _ found: [Issue], on basis: ValidationBasis) -> Findings {
        let (revision, known) = (basis.revision, basis.known)
        let scope = CheckScope.current
        let rules = lock.withLock { state?.asyncRules ?? [] }
        let isBlocked = found.isBlocking || known.isBlocking
        let decided = isBlocked ? [:] : Checks.decide(rules, about: value)
        let followed = Checks.followed(by: rules)
        lock.lock()
        guard lastRevision == revision, let state, declaration?.ruleCount == basis.ruleCount,
            let checks = state.checks
        else {
            lock.unlock()
            scope?.note(self)
            return Findings(issues: found + known, isPending: true)
        }
        if isBlocked || state.addedIssues(at: revision).isBlocking {
            let run = checks.run.take()
            lock.unlock()
            run?.end()
            return Findings(issues: keep(found, on: basis))
        }
        var superseded = checks.prepare(for: revision, following: followed)
        // When the lock is free.
        defer { superseded?.end() }
        let asksAgain = scope?.asksAgain ?? true
        let open = rules.indices.filter { index in
            decided[index] == nil
                && (checks.answers[index].map { asksAgain && !$0.isFinal } ?? true)
        }
        let start = CheckRun.Start(found: found, basis: basis, decided: decided)
        if let run = checks.run, run.revision == revision {
            if !open.isEmpty, open.allSatisfy(run.asked.contains) {
                let former = run.renew(start)
                lock.unlock()
                withExtendedLifetime(former) {}
                scope?.note(self)
                return Findings(issues: found + known, isPending: true)
            }
            // A rule whose condition holds by now was not asked with the others, or of none it does.
            superseded = checks.run.take()
        }
        if open.isEmpty {
            let all = found + checks.issues(at: revision, deciding: decided)
            return Findings(issues: keepLocked(all, on: basis))
        }
        let run = CheckRun(start, asking: open)
        checks.run = run
        let issues = state.issues
        let answers = open.compactMap { checks.answers.removeValue(forKey: $0) }
        let followers = state.followers(findings: verdict != .unknown, answers: !answers.isEmpty)
        state.issues = []
        verdict = .unknown
        lock.unlock()
        withExtendedLifetime((issues, answers)) {}
        begin(run, asking: rules, about: value)
        notifyComputations(followers)
        scope?.note(self)
        return Findings(issues: found + known, isPending: true)
    }

    /// Asks rules in a task, which holds the value but not the field.
    private func begin(
        _ run: CheckRun,
        asking rules: [AsyncRule<Value>],
        about value: Value?
    ) {
        let use = useLive().use
        let isWanted: @Sendable () -> Bool = { [weak self] in self?.isCurrent(run) ?? false }
        let finish: @Sendable ([Int: Answer]) -> Void = { [weak self] in self?.finish(run, $0) }
        let task = TaskValues.outsideValidation {
            Task {
                finish(
                    await withTaskGroup(of: (Int, Answer?).self) { group in
                        for index in run.asked {
                            group.addTask {
                                (index, await rules[index].answer(about: value, while: isWanted))
                            }
                        }
                        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                    }
                )
            }
        }
        lock.lock()
        let isCurrent = details?.checks?.run === run
        if isCurrent { run.begin(task, use) }
        let isSuperseded = lastRevision != run.revision
        lock.unlock()
        if !isCurrent { task.cancel() }
        // The field may not have been observed for the run when it was set.
        if isSuperseded { followChange() }
    }

    private func isCurrent(_ run: CheckRun) -> Bool {
        lock.withLock { details?.checks?.run === run && lastRevision == run.revision }
    }

    /// Takes the answers of a run, unless it was superseded.
    private func finish(_ run: CheckRun, _ answers: [Int: Answer]) {
        let followed = Checks.followed(by: lock.withLock { state?.asyncRules ?? [] })
        lock.lock()
        guard let details, let checks = details.checks, checks.run === run else {
            return lock.unlock()
        }
        checks.run = nil
        checks.answers.merge(answers) { $1 }
        traits.insert(.judged)
        // There is no verdict before the rules that follow what has changed were asked again.
        if checks.dropOutdated(following: followed) {
            let followers = details.followers()
            lock.unlock()
            run.end()
            return refresh(followers)
        }
        let start = run.start
        _ = keepLocked(
            start.found + checks.issues(at: run.revision, deciding: start.decided),
            on: start.basis,
            isAnswer: true
        )
        run.end()
    }
}
