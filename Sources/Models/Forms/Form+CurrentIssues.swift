public import ModelKitFields

extension Form {
    /// What is wrong with the enabled fields and models now, warnings too: no field keeps it, and nobody
    /// is told.
    ///
    /// It is for a button that is enabled only for a valid form, before the form shows any error:
    ///
    /// ```swift
    /// let canSave = Computed { form.isCurrentlyValid }
    /// canSave.onMain --> { save.isEnabled = $0 ?? false }
    /// ```
    ///
    /// Of async rules it has what they have answered, and asks none. It is in the order of the form, with
    /// what others have said of fields; not what they said of the whole, as no set could take it back and
    /// a submit does not ask for it.
    public func currentIssues() -> [Issue] {
        _ = marker.value
        let state = current
        let outdated = state.verdicts.filter(\.isOutdated)
        var known: Set<Issue> = []
        return state.parts.flatMap { part in
            var found = ValidationPath.keepingNothing {
                part.validate(state.isEnabled).all
            }
            var forgotten: Set<Issue> = []
            for entry in part.entries where state.isEnabled(entry.path) {
                var places = [FieldPlace(entry.field, at: entry.path)]
                for place in state.told.compactMap({ $0.found(in: entry) }) {
                    found += place.field.issues.map { $0.prefixed(by: place.path) }
                    places.append(place)
                }
                for verdict in outdated {
                    for place in places where verdict.field === place.field {
                        forgotten.insert(verdict.issue.prefixed(by: place.path))
                    }
                }
            }
            return found.filter { !forgotten.contains($0) && known.insert($0).inserted }
        }
    }

    /// Whether `currentIssues()` has no error.
    public var isCurrentlyValid: Bool { !currentIssues().isBlocking }
}
