/// When a field validates its value by itself.
///
/// ```swift
/// let email = Field<String>().require(.email).validates(.onCommit)
/// ```
///
/// It does so only while somebody observes its validation; otherwise nothing is evaluated but by
/// `validate()`, whatever the mode.
public enum ValidationMode: Hashable, Sendable {
    /// At every set, when observers are notified of it; in a `batch` once, at its end.
    ///
    /// Observers see the new state and not the unknown one in between, unless async rules have to
    /// answer first.
    case onChange

    /// At the end of editing, by the last `endEditing()`, also if the value has stayed.
    ///
    /// A set while nobody edits is validated at once; one while somebody does makes the state
    /// unknown.
    case onCommit

    /// Only by `validate()` and what is called like it.
    case onDemand
}
