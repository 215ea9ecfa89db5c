/// State of an object that does everything in blocks of one serial queue.
package final class Confined<State>: Sendable {
    // Safe: whoever has one touches it in blocks of its queue alone, and in `init` before anybody else knows it.
    package nonisolated(unsafe) var state: State

    package init(_ state: sending State) { self.state = state }
}
