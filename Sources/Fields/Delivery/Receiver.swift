/// What an observation hands its changes to, where it does not call a closure on the spot.
@usableFromInline
protocol Receiver<Value>: AnyObject, Sendable {
    associatedtype Value: Equatable & Sendable

    /// Takes a change.
    ///
    /// One thread at a time calls it, with no lock held, and none after `close()`.
    func take(_ change: Change<Value>, of field: FieldCore<Value>, from observer: Observer<Value>)

    /// Learns that nothing more comes: the observation was cancelled, or the field is gone.
    func close()
}

/// What waits for a receiver: one change, or several that were joined.
struct WaitingChange<Value: Equatable & Sendable>: Sendable {
    let old: Value?
    private(set) var new: Value?
    /// A copy that nobody else has of the edits, if they are known.
    let script: EditScript?
    private var isJoined = false
    /// Whether it is delivered although the values may be equal: it is the first one, or was forced.
    private var isForced: Bool
    private let areSame: (@Sendable (_ old: Value, _ new: Value) -> Bool)?

    /// A change that a field decides about by its own equality, if it has one.
    init(
        _ change: Change<Value>,
        _ script: EditScript? = nil,
        by areSame: (@Sendable (_ old: Value, _ new: Value) -> Bool)?
    ) {
        old = change.old
        new = change.new
        self.script = script?.copy()
        isForced = change.isForced || change.isFirst
        self.areSame = areSame
    }

    /// Takes a later change in.
    ///
    /// - Returns: The value that was superseded, to be released when no lock is held.
    mutating func join(_ newer: Change<Value>, _ newerScript: EditScript? = nil) -> Value? {
        let superseded = new
        new = newer.new
        script?.append(newerScript)
        isJoined = true
        if newer.isForced { isForced = true }
        return superseded
    }

    /// Whether it is delivered: changes may lead back to where they began.
    ///
    /// No lock may be held.
    ///
    /// - Parameter takesSets: Whether sets are delivered that change nothing.
    /// - Returns: Whether it is.
    func isDelivered(takingSets takesSets: Bool) -> Bool {
        takesSets || isForced || !isJoined || differs(old, new, by: areSame)
    }
}
