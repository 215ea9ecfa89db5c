/// How much is known of a field's value.
///
/// It distinguishes a nil that is known to be none from one that was never loaded. A default value is not
/// loaded; every set loads it.
///
/// ```swift
/// if person.name.loadState == .notLoaded { load(person) }
/// ```
public enum LoadState: UInt8, Sendable, Hashable {
    case notLoaded, loading, incomplete, loaded, error
}
