/// What becomes of a record whose identifier a model has that is saved, and that the model has never
/// agreed with.
///
/// ```swift
/// try await store.save(person, onConflict: .merge).value
/// ```
public enum OnConflict: Sendable, Hashable {
    /// It stays as it is, and the save fails with `.alreadyExists`.
    case fail
    /// The model takes its place; fields without a value are nil.
    case replace
    /// The fields that were set in the model, to nil too, or have a default value, take the place of its
    /// values; the others stay. Of a model that is only a foreign key, or was unloaded, that goes for what
    /// is loaded, as do its rules; where there is no record, one is made of all that it has, default values
    /// too, and all of its rules must hold.
    case merge
}
