/// What a save does where another record has the model's identifier: one with which the model has never
/// agreed.
///
/// ```swift
/// try await store.save(person, onConflict: .merge).value
/// ```
public enum OnConflict: Sendable, Hashable {
    /// It stays as it is, and the save fails with `.alreadyExists`.
    case fail
    /// The model takes its place; fields without a value are nil.
    case replace
    /// The fields that were set in the model since it was made, to nil too, take the place of its values; the
    /// others stay, and the model takes them.
    ///
    /// A set in the model's `init` counts, as does a value that was read or bound; a default value and an empty
    /// array do not. A model in a field counts if anything in it was set, and is written whole. Of a
    /// model that is only a foreign key, or was unloaded, the rules of what is loaded are asked. Where there
    /// is no record, one is made of all that the model has, default values too, and all rules must hold.
    case merge
}
