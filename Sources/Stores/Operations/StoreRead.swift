import ModelKitFields

/// What a store makes of what it has read: as `Promise.map`, but that it fails with a `StoreError` when it is
/// cancelled.
// Sendable by hand: `make` belongs to whoever took the node out of the list it waits in.
final class StoreRead<Found: Sendable, Value: Sendable>: Promise<Value>, @unchecked Sendable {
    private var make: ((Found) throws -> Value)?

    private init(_ make: @escaping @Sendable (Found) throws -> Value) {
        self.make = make
        super.init { node, source, queue in
            let read = node.as(StoreRead.self), source = source.as(Promise<Found>.self)
            let make = read.make.take()
            guard let make, !read.isSettled else { return }
            if let error = source.error { return _ = read.settle(error: error, queue) }
            do {
                read.settle(value: try make(source.settledValue), queue)
            } catch {
                read.settle(error: error, queue)
            }
        }
    }

    static func of(
        _ found: Promise<Found>,
        _ make: @escaping @Sendable (Found) throws -> Value
    ) -> Promise<Value> {
        let read = StoreRead(make)
        if !found.isSettled { read.link = found }
        found.attach(read)
        return read
    }

    override var cancellationError: any Error { readCancellation }

    override func releaseHandler() { make = nil }
}

/// One for all, as making an existential error allocates.
let readCancellation: any Error = StoreError.cancelled(.notApplied)
