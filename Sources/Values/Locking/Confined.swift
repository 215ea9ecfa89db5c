/// State of an object that does everything in blocks of one serial queue.
package final class Confined<State>: Sendable {
    // Safe: it is a `private let` of the object, which touches it in blocks of its serial queue alone; what it begins
    // with is sent to it.
    package nonisolated(unsafe) var state: State

    package init(_ state: sending State) { self.state = state }
}
