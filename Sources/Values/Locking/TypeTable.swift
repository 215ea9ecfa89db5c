import Synchronization

/// What is kept for types, for as long as the process runs.
///
/// It is read without a lock, as hardly anything is done with a model that does not ask for its
/// schema.
// Safe: a place of the table is filled once, under the lock: first with the content, then with the key,
// without which no reader looks at the content. A table that has become too small stays as it is for
// those who read it, and the larger one is complete when it is published. None is ever released.
package final class TypeTable<Content: AnyObject & Sendable>: @unchecked Sendable {
    private struct Place: ~Copyable {
        /// 0 where the place is free.
        let key = Atomic<UInt>(0)
        var content: Unmanaged<Content>?
    }

    /// Places, of which at least half are free; their number is a power of two.
    private struct Table {
        let mask: Int
        let places: UnsafeMutablePointer<Place>

        init(count: Int) {
            mask = count - 1
            places = .allocate(capacity: count)
            for index in 0..<count { (places + index).initialize(to: Place()) }
        }

        /// The place of a key, or the free one where it would be.
        @inline(__always)
        func index(of key: UInt) -> (index: Int, isFree: Bool) {
            // Addresses differ least in their first bits.
            var index = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
            while true {
                let found = places[index].key.load(ordering: .acquiring)
                if found == key { return (index, false) }
                if found == 0 { return (index, true) }
                index = (index + 1) & mask
            }
        }

        func fill(_ index: Int, _ key: UInt, _ content: Unmanaged<Content>) {
            places[index].content = content
            places[index].key.store(key, ordering: .releasing)
        }
    }

    private let lock = Lock()
    private let table: Atomic<UnsafeMutablePointer<Table>>
    private var count = 0

    package init() {
        table = Atomic(Self.publishable(Table(count: 64)))
    }

    private static func publishable(_ table: Table) -> UnsafeMutablePointer<Table> {
        let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        pointer.initialize(to: table)
        return pointer
    }

    /// What is kept for a type.
    package subscript(type: ObjectIdentifier) -> Content? {
        let table = table.load(ordering: .acquiring).pointee
        let place = table.index(of: UInt(bitPattern: type))
        return place.isFree ? nil : table.places[place.index].content?.takeUnretainedValue()
    }

    /// Keeps something for a type, unless there is something.
    ///
    /// - Returns: What is kept.
    package func keep(_ content: Content, for type: ObjectIdentifier) -> Content {
        lock.withLock {
            if let known = self[type] { return known }
            count += 1
            var table = table.load(ordering: .relaxed).pointee
            if count > table.mask / 2 { table = grow(table) }
            let key = UInt(bitPattern: type)
            table.fill(table.index(of: key).index, key, .passRetained(content))
            return content
        }
    }

    /// The lock must be held.
    private func grow(_ old: Table) -> Table {
        let table = Table(count: 2 * (old.mask + 1))
        for index in 0...old.mask {
            let key = old.places[index].key.load(ordering: .relaxed)
            if let content = old.places[index].content {
                table.fill(table.index(of: key).index, key, content)
            }
        }
        self.table.store(Self.publishable(table), ordering: .releasing)
        return table
    }
}
