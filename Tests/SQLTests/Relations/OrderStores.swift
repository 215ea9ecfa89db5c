import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import Synchronization

/// An order, whose lines are records of their own.
final class DraftedOrder: Model {
    let id = Field<String>()
    let title = Field<String>()
    let lines = ModelField<DraftedLine>(inverse: \.order, cascadeDelete: true).requireValid()*
    let note = ModelField<DraftedNote>(inverse: \.order)

    let total: Computed<Int>

    init() {
        total = Computed { [lines] in lines.value?.reduce(0) { $0 + ($1.count.value ?? 0) } }
        linkFields()
    }

    /// The products and counts of the lines.
    var text: String { (lines.value ?? []).map(\.text).joined(separator: ", ") }
}

final class DraftedLine: Model {
    let id = Field<String>()
    let product = Field<String>()
    let count = Field<Int>().require(.min(1))
    let order = ModelField<DraftedOrder>(foreignKey: true)
    let parts = ModelField<DraftedPart>(inverse: \.line, cascadeDelete: true)*

    init() { linkFields() }

    convenience init(_ product: String, _ count: Int) {
        self.init()
        id.value = product
        self.product.value = product
        self.count.value = count
    }

    fileprivate var text: String { "\(product.value ?? "") \(count.value ?? 0)" }
}

final class DraftedPart: Model {
    let id = Field<String>()
    let line = ModelField<DraftedLine>(foreignKey: true)

    init() { linkFields() }

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

final class DraftedNote: Model {
    let id = Field<String>()
    let text = Field<String>()
    let order = ModelField<DraftedOrder>(foreignKey: true)

    init() { linkFields() }
}

/// One of the programs that use a store.
struct OrderSession: RecordModelStore {
    let records: any RecordStore
    let session = StoreSession()

    func order(_ id: String = "1") async throws -> DraftedOrder {
        let order = try await lookup(DraftedOrder.self, identifier: id).value
        _ = try await load(order, \.lines).value
        return order
    }

    func line(_ product: String) async throws -> DraftedLine {
        try await lookup(DraftedLine.self, identifier: product).value
    }
}

/// A store with two orders: 1 of bread and milk, 2 of tea.
final class OrderStore: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case memory, database
    }

    let records: any RecordStore
    private let directory: TemporaryDirectory?

    init(_ kind: Kind) async throws {
        switch kind {
        case .memory:
            records = MemoryModelStore().records
            directory = nil
            try await Self.fill(records)
        case .database:
            let directory = try TemporaryDirectory()
            let store = try SQLiteModelStore(path: directory.file())
            try await Self.fill(store.records)
            try await store.close().value
            records = try SQLiteModelStore(path: directory.file()).records
            self.directory = directory
        }
    }

    private static func fill(_ records: any RecordStore) async throws {
        let session = OrderSession(records: records)
        let contents = [
            ("1", [DraftedLine("bread", 1), DraftedLine("milk", 2)]),
            ("2", [DraftedLine("tea", 3)]),
        ]
        for (id, lines) in contents {
            let order = DraftedOrder()
            order.id.value = id
            order.lines.value = lines
            _ = try await session.create(order, including: \.lines).value
        }
    }

    /// Of somebody who has read nothing yet.
    func open() -> OrderSession { OrderSession(records: records) }

    /// What is stored, as somebody reads it who knows nothing: the lines of an order, by product.
    func text(_ id: String = "1") async throws -> String {
        let lines = try await open().order(id).lines.value ?? []
        return lines.map { "\($0.product.value ?? "") \($0.count.value ?? 0)" }.sorted()
            .joined(separator: ", ")
    }

    /// How many lines there are, whosever.
    func lineCount() async throws -> Int {
        try await records.fetch(RecordQuery(), of: DraftedLine.schema).value.count
    }

    /// The revisions of all orders and lines.
    func revisions() async throws -> [UInt64] {
        let orders = try await records.fetch(RecordQuery(), of: DraftedOrder.schema).value
        let lines = try await records.fetch(RecordQuery(), of: DraftedLine.schema).value
        return (orders + lines).map { UInt64($0.revision) }
    }
}

/// What is noted while something runs, in order.
final class Notes<Entry: Sendable>: Sendable {
    private let noted = Mutex<[Entry]>([])

    var entries: [Entry] { noted.withLock { $0 } }

    func add(_ entry: Entry) { noted.withLock { $0.append(entry) } }
}
