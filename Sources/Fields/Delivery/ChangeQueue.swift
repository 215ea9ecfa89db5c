/// The changes of a field that wait.
///
/// They are in memory of its own, which has one reference to each script: so those of simple values are moved as
/// bytes, where an array would have the runtime copy each. Whoever has a queue ends it by `deallocate()`.
@usableFromInline
struct ChangeQueue<Value: Equatable & Sendable> {
    @usableFromInline
    typealias Place = (change: Change<Value>, script: Unmanaged<EditScript>?)

    @usableFromInline var places: UnsafeMutablePointer<Place>?
    @usableFromInline var capacity = 0
    /// Where the first is.
    @usableFromInline var head = 0
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { count == 0 }

    var firstRevision: UInt64? { isEmpty ? nil : places?[head].change.revision }

    @inlinable
    mutating func append(_ change: Change<Value>, _ script: EditScript?) {
        if head + count == capacity { makeRoom() }
        // `makeRoom` has made it.
        let place = places.unsafelyUnwrapped.advanced(by: head + count)
        place.initialize(to: (change, script.map { .passRetained($0) }))
        count += 1
    }

    /// Takes out the first, which there must be.
    @inlinable
    mutating func removeFirst() -> (change: Change<Value>, script: EditScript?) {
        let first = places.unsafelyUnwrapped.advanced(by: head).move()
        count -= 1
        head = count == 0 ? 0 : head + 1
        return (first.change, first.script?.takeRetainedValue())
    }

    mutating func removeAll() -> [Queued<Value>] {
        var all: [Queued<Value>] = []
        while !isEmpty {
            let first = removeFirst()
            all.append(Queued(change: first.change, script: first.script))
        }
        return all
    }

    /// Makes room at the end: of what was taken out at the beginning, if that is more than half, or in larger memory.
    @usableFromInline @inline(never)
    mutating func makeRoom() {
        let old = places
        let isLarger = 2 * head <= capacity
        if isLarger {
            capacity = max(1, 2 * capacity)
            places = .allocate(capacity: capacity)
        }
        if let old, let places { places.moveInitialize(from: old + head, count: count) }
        head = 0
        if isLarger { old?.deallocate() }
    }

    mutating func deallocate() {
        while !isEmpty { _ = removeFirst() }
        places?.deallocate()
    }
}
