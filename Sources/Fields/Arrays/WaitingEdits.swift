/// The change of an array that waits to be delivered, or several joined.
final class WaitingEdits<Element: Equatable & Sendable>: Sendable {
    /// Its script is a copy that nobody else has.
    private let waiting = Guarded<(old: [Element], new: [Element], script: EditScript)?>(nil)

    func add(_ old: [Element], _ new: [Element], _ script: EditScript) {
        let superseded = waiting.withLock { waiting in
            let superseded = waiting?.new
            if waiting == nil {
                waiting = (old, new, script.copy())
            } else {
                waiting?.new = new
                waiting?.script.append(script)
            }
            return superseded
        }
        withExtendedLifetime(superseded) {}
    }

    func take() -> ArrayChange<Element>? {
        let taken = waiting.withLock { $0.take() }
        return taken.map { ArrayChange(old: $0.old, new: $0.new, script: $0.script) }
    }
}
