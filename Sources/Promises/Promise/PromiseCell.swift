/// The part of a ``Promise`` that holds its value, public only as its base.
///
/// It is a class of its own for speed: what is released with a promise is then known to be of the type
/// `Content`, and not looked up as an optional of the promise's type, which takes half as long as all the rest.
// Safe: as for `PromiseCore`; `outcome` follows the rule of `error` there.
public class PromiseCell<Content: Sendable>: PromiseCore, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline final var outcome: Content

    @inlinable
    init(_ outcome: Content, _ phase: Phase, _ fire: @escaping Fire = { _, _, _ in }) {
        self.outcome = outcome
        super.init(phase, fire)
    }
}
