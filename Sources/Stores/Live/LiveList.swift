public import ModelKitModels

/// The models of a live query's result, in the order of the query.
///
/// A result that is kept shares with the next ones what they have in common: one model that changes in a list of a
/// million costs microseconds. To find a model by its index costs O(log n), to go through all O(n).
///
/// ```swift
/// let names = result.models.map(\.name.value)
/// let third = result.models[2]
/// ```
public struct LiveList<M: Model>: RandomAccessCollection, Sendable {
    let rows: SharedList<LiveRow<M>>
    /// The place of the first model among the rows.
    private let start: Int
    public let endIndex: Int

    init(_ rows: SharedList<LiveRow<M>>, _ shown: Range<Int>) {
        (self.rows, start, endIndex) = (rows, shown.lowerBound, shown.count)
    }

    public var startIndex: Int { 0 }

    public subscript(position: Int) -> M {
        precondition(indices.contains(position), "index \(position) is outside \(indices)")
        return rows[start + position].model
    }

    /// The same models with their records.
    var shown: some Sequence<LiveRow<M>> { (0..<endIndex).lazy.map { rows[start + $0] } }

    public func makeIterator() -> Iterator { Iterator(self) }

    /// Goes through the models.
    ///
    /// ```swift
    /// var models = result.models.makeIterator()
    /// let first = models.next()
    /// ```
    public struct Iterator: IteratorProtocol {
        private let list: LiveList
        private var leaf: ContiguousArray<LiveRow<M>> = []
        private var offset = 0
        private var index = 0

        init(_ list: LiveList) { self.list = list }

        public mutating func next() -> M? {
            guard index < list.endIndex else { return nil }
            if offset == leaf.count { (leaf, offset) = list.rows.leaf(at: list.start + index) }
            defer { (index, offset) = (index + 1, offset + 1) }
            return leaf[offset].model
        }
    }
}

extension LiveList: Equatable {
    /// Whether both have the same objects in the same order.
    public static func == (left: LiveList, right: LiveList) -> Bool {
        left.elementsEqual(right, by: ===)
    }
}

/// A model, and the record that it was found with.
final class LiveRow<M: Model>: Sendable {
    let model: M
    let found: FoundRecord

    init(_ model: M, _ found: FoundRecord) { (self.model, self.found) = (model, found) }

    /// Whether both are the same state of the same record.
    func isSame(_ other: LiveRow) -> Bool { found.isSame(other.found) }
}

extension FoundRecord {
    /// What identifies the record among those of its type and of others.
    var key: IdentityMap.Key { IdentityMap.Key(schema, record.identifier) }

    /// Whether both are the same state of one record.
    func isSame(_ other: FoundRecord) -> Bool {
        // What is deleted and made anew may have the same revision.
        record.revision == other.record.revision && record.place == other.record.place
    }
}
