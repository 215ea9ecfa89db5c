public import ModelKitFields
import ModelKitModels

extension Form {
    /// Whether any field is changed, also one that is not enabled.
    public var isDirty: Bool {
        observedCurrent.parts.contains { $0.entries.contains(where: \.baseline.isDirty) }
    }

    /// The paths of the changed fields, in the order of the form.
    public var changes: [FieldPath] {
        observedCurrent.parts.flatMap { part in
            let fields = part.models?.all(part.entries) ?? part.entries
            return fields.filter(\.baseline.isChanged).map(\.path)
        }
    }

    /// The paths of the fields that the user has been at, in the order of the form.
    public var touched: [FieldPath] {
        let state = observedCurrent
        return state.parts.flatMap(\.entries).filter { state.isTouched($0.field) }.map(\.path)
    }

    /// Notes that the user has been at a field, such as when it loses the focus; to set it does not.
    public func touch(_ field: AnyField) {
        withContents { $0.touched[ObjectIdentifier(field)] = field }
        marker.touch()
    }

    /// Whether the user has been at a field.
    public func isTouched(_ field: AnyField) -> Bool { observedCurrent.isTouched(field) }

    /// Takes a field or a part out of what is validated and reported, such as while it is hidden, or puts
    /// it back.
    ///
    /// Its changes count and are committed all the same.
    ///
    /// - Parameters:
    ///   - isEnabled: Whether it is validated.
    ///   - name: The name under which it was added.
    public func setEnabled(_ isEnabled: Bool, for name: String) {
        setEnabled(isEnabled, at: [FieldPath(key: name)])
    }

    /// Takes a field of the form out of what is validated and reported, or puts it back.
    public func setEnabled(_ isEnabled: Bool, for field: AnyField) {
        setEnabled(
            isEnabled,
            at: current.parts.flatMap(\.entries).filter { $0.field === field }.map(\.path)
        )
    }

    private func setEnabled(_ isEnabled: Bool, at paths: [FieldPath]) {
        withContents { state in
            state.disabled.removeAll(where: paths.contains)
            if !isEnabled { state.disabled += paths }
        }
        marker.touch()
    }

    /// Sets every field to what it began with, and forgets what was said against it, what was touched
    /// and how often the form was submitted.
    ///
    /// What comes of a submit that is under way is then only its caller's.
    public func discard() { asOneChange { startAgain() } }

    private func startAgain() {
        let parts = current.parts
        for part in parts {
            Baseline.restore(part.models?.baselines ?? part.entries.map(\.baseline)) {
                $0.differs || $0.isTouched || $0.field.isSaidSomething
            }
        }
        for place in current.reported { place.field.removeAddedIssues() }
        withContents { state in
            let (age, begun) = (state.age + 1, state.validations.begun)
            state = Contents(
                parts: state.parts,
                disabled: state.disabled,
                validations: (begun: begun, found: begun),
                age: age,
                openChanges: state.openChanges,
                changeCount: state.changeCount,
                reportedState: state.reportedState
            )
        }
    }
}

extension Form.Contents {
    func isTouched(_ field: AnyField) -> Bool { touched[ObjectIdentifier(field)] != nil }

    func isEnabled(_ path: FieldPath) -> Bool {
        !disabled.contains { path.components.starts(with: $0.components) }
    }
}
