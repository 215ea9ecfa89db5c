import ModelKitFields

// What `check` of a model has found is found again when a field differs that it has read, while somebody
// observes what the form knows.

extension Form {
    /// What follows the reads of a part's `check`; nil while nobody observes the form.
    func followedReads(ofPart index: Int, _ part: FormPart) -> ReadFollower? {
        guard part.isChecked, part.checkAgain != nil, marker.isObservedByLiving else {
            let old = withContents { $0.checkReads.removeValue(forKey: index) }
            withExtendedLifetime(old) {}
            return nil
        }
        if let known = current.checkReads[index] { return known }
        let made = ReadFollower { [weak self] in self?.checkAgain(index) }
        return withContents { state in
            let reads = state.checkReads[index] ?? made
            state.checkReads[index] = reads
            return reads
        }
    }

    /// Whether nothing has changed that the `check` of a part has read when it was called last.
    func isChecked(_ index: Int, _ state: Contents) -> Bool {
        state.checkReads[index].map { !$0.isBehind } ?? false
    }

    private func checkAgain(_ index: Int) {
        let seen = current
        guard let reads = seen.checkReads[index], index < seen.found.count else { return }
        // Nobody asks any more: the next validation does.
        guard marker.isObservedByLiving else { return }
        let part = seen.parts[index]
        asOneChange {
            var (revision, general): (UInt64, [Issue]) = (0, [])
            // It may set what it has read, but not for ever.
            for _ in 0..<8 {
                revision = part.revision
                general = part.checkAgain?(seen.isEnabled, reads) ?? []
                if !reads.isBehind { break }
            }
            if reads.isBehind { reads.follow {} }
            withContents { state in
                // What a validation has found meanwhile is newer.
                guard state.validations.found == seen.validations.found, state.age == seen.age,
                    index < state.found.count
                else { return }
                state.found[index] = (revision: revision, issues: general)
            }
        }
    }
}
