/// Those who are notified that more or less is known of the validity of a field.
struct ValidationFollowers {
    let live: LiveValidation?
    let findings: AnyField?
    let answers: AnyField?
}

extension FieldDetails {
    /// Those who follow now, and are to be notified: whether what was found, or when, has changed, and whether
    /// what others have said, or async rules, is.
    ///
    /// The lock must be held.
    final func followers(findings: Bool = true, answers: Bool = true) -> ValidationFollowers {
        ValidationFollowers(
            live: live,
            findings: findings ? findingsMarker : nil,
            answers: answers ? answersMarker : nil
        )
    }
}

extension AnyField {
    /// Notifies those who follow to look; no lock may be held.
    final func refresh(_ followers: ValidationFollowers) {
        notifyComputations(followers)
        if let live = followers.live { refresh(live) }
    }

    /// Notifies those of them who are computations; no lock may be held.
    final func notifyComputations(_ followers: ValidationFollowers) {
        if followers.findings == nil, followers.answers == nil { return }
        TaskValues.outsideValidation {
            followers.findings?.touch()
            followers.answers?.touch()
        }
    }

    /// Notes for the computation that runs, if one does, that it is about to read what was found or
    /// said, and when: unlike one that reads the status it is no listener, for whom the field would
    /// validate by itself.
    final func noteFindingsRead() { noteRead(of: \.findingsMarker) }

    /// The same of what others have said, and async rules, which no other validation changes.
    final func noteAnswersRead() { noteRead(of: \.answersMarker) }
}
