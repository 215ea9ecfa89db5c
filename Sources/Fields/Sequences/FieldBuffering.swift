/// What a sequence keeps for a consumer that is slower than the sets.
///
/// ```swift
/// for await age in person.age.values(buffering: .unbounded) { log.append(age) }
/// ```
public enum FieldBuffering: Sendable, Hashable {
    /// The newest: what it has superseded is not delivered, or is joined with it.
    case newest
    /// Everything, in order, in memory that has no bound but the consumer's speed.
    case unbounded
}
