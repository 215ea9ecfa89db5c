/// Coalesces the sets of a closure: observers are notified when it ends, once for each field.
///
/// ```swift
/// batch {
///     person.first.value = "Ada"
///     person.last.value = "Lovelace"
/// }
/// ```
///
/// Observers of every set receive the final value, those of changes only if it differs from the one
/// before. Values, bound fields and computed fields are up to date inside as everywhere; a field that
/// is bound to a computed one follows when the batch ends. Batches may be nested: the
/// outermost notifies, also when the closure throws.
///
/// It is not a transaction: nothing is undone, and other threads see each value as soon as it is
/// set. A set of a field by another thread notifies its observers at once, and of what the batch has set
/// in that field until then as well.
///
/// - Returns: What the closure returns.
@discardableResult
public func batch<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try DeliveryLoop.withCurrent { loop throws(Failure) in
        loop.pointee.batchDepth += 1
        defer { endBatch(loop) }
        return try body()
    }
}

/// Ends a batch; with the outermost, what it has kept is delivered.
func endBatch(_ loop: UnsafeMutablePointer<DeliveryLoop>) {
    // While it still keeps what is set: what computed fields bring is delivered with the rest. More than
    // once, as what dies with the nodes may set something.
    while loop.pointee.batchDepth == 1, !loop.pointee.isFlushing,
        let dirtied = loop.pointee.madeBacklog?.pending.takeNodes(), !dirtied.isEmpty
    {
        ComputedGraph.flush(dirtied, loop, endsBatch: true)
    }
    loop.pointee.batchDepth -= 1
    guard loop.pointee.batchDepth == 0, let backlog = loop.pointee.madeBacklog else { return }
    let evaluation = Tracker.outermost
    for entry in backlog.pending.takeDeliveries() {
        if let evaluation,
            loop.pointee.isFlushing || evaluation.pointee.reading.pointee.extras?.postponed != nil
        {
            // It may follow from what was computed in the middle of the batch.
            entry.field.lock.withLock {
                if entry.field.details?.batcher == loop { entry.field.details?.batcher = nil }
            }
            evaluation.pointee.postpone(entry)
        } else {
            entry.drain(entry.field, loop)
        }
    }
}
