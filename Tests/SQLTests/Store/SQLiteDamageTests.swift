import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// Errors that were reported, from any thread.
// Safe: the variable is guarded by the lock.
private final class Reports: @unchecked Sendable {
    private let lock = Lock()
    private var errors: [StoreError] = []

    var report: @Sendable (StoreError) -> Void {
        { [self] error in lock.withLock { errors.append(error) } }
    }

    /// Those since the last time.
    func take() -> [StoreError] {
        lock.withLock {
            defer { errors = [] }
            return errors
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct SQLiteDamageTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    /// What another program may have put into row 3.
    static let damage: [(sql: String, says: String)] = [
        ("flag = 2", "Everything.flag of 3 is 2, not 0 or 1"),
        ("flag = 'yes'", "Everything.flag of 3 holds a value"),
        ("count = 'many'", "Everything.count of 3 holds a value"),
        ("count = 1.5", "Everything.count of 3 holds a value"),
        ("count = x'00'", "Everything.count of 3 holds a value"),
        ("weight = 'heavy'", "Everything.weight of 3 holds a value"),
        ("weight = x'414243'", "Everything.weight of 3 holds a value"),
        ("name = x'00'", "Everything.name of 3 holds a value"),
        ("name = CAST(x'ff' AS TEXT)", "Everything.name of 3 holds text that is not UTF-8"),
        ("photo = 'none'", "Everything.photo of 3 holds a value"),
        ("born = 'today'", "Everything.born of 3 holds a value"),
        ("tags = 'a, b'", "Everything.tags of 3"), ("tags = '{}'", "Everything.tags of 3"),
        ("tags = '[1'", "Everything.tags of 3"), ("tags = 7", "Everything.tags of 3"),
        ("tags = '[1, 2]'", "the stored Everything 3 does not fit"),
        ("owner = '[]'", "Everything.owner of 3"), ("extra = x'ee'", "Everything.extra of 3"),
        ("address_street = x'00'", "Everything.address.street of 3"),
    ]

    private func fill(_ store: SQLiteModelStore) async throws {
        let things = (1...5).map { number in
            let thing = Everything()
            thing.count.value = 10 - number
            return thing
        }
        _ = try await store.create(things).value
    }

    @Test(
        arguments: [
            ("count = 'many'", .sum("count")), ("count = 1.5", .average("count")),
            ("count = x'00'", .sum("count")), ("weight = 'heavy'", .sum("weight")),
            ("name = CAST(x'ff' AS TEXT)", .maximum("name")),
        ] as [(String, RecordAggregate.Function)]
    )
    func `a damaged value is named where it is added up`(
        _ sql: String,
        _ function: RecordAggregate.Function
    ) async throws {
        let store = try SQLiteModelStore(path: path)
        try await fill(store)
        let connection = try SQLiteConnection(path: path)
        try connection.execute("UPDATE Everything SET \(sql) WHERE id = 3")
        connection.close()
        let error = await #expect(throws: StoreError.self) {
            try await store.records.totals(RecordAggregate(function), of: Everything.schema).value
        }
        expect(error?.code == "corrupt" && error?.description.contains(" of 3 ") == true, "\(sql)")
        let skipping = store.skippingDamaged { _ in }
        try await expect(skipping.sum(Everything.self, of: \.id).value, equals: 12)
    }

    @Test(arguments: damage)
    func `one damaged record hides the others only where nobody says so`(
        _ sql: String,
        says: String
    ) async throws {
        let first = try SQLiteModelStore(path: path)
        try await fill(first)
        try await first.close().value
        let connection = try SQLiteConnection(path: path)
        try connection.execute("UPDATE Everything SET \(sql) WHERE id = 3")
        connection.close()
        let store = try SQLiteModelStore(path: path)
        let reports = Reports()
        let skipping = store.skippingDamaged(reports.report)
        let error = await #expect(throws: StoreError.self) {
            try await store.list(Everything.self).value
        }
        let text = error?.description ?? ""
        expect(text.hasPrefix(says.replacing("address.street", with: "address_street")), "\(text)")

        try await expect(
            skipping.list(Everything.self).value.map(\.id.value),
            equals: [1, 2, 4, 5]
        )
        expect(reports.take().map(\.description), equals: [text])
        let sorted = try await skipping.list(
            Everything.self,
            orderBy: .descending(\.id),
            limit: 3
        ).value
        // One that is damaged is not counted where the store sees it.
        let isOfModels = says.hasPrefix("the stored")
        expect(sorted.map(\.id.value), equals: (isOfModels ? [5, 4] : [5, 4, 2]))
        expect(reports.take().map(\.description), equals: [text])

        var found: [Int?] = []
        var cursor: PageCursor?
        repeat {
            let page = try await skipping.page(
                Everything.self,
                orderBy: .ascending(\.id),
                limit: 2,
                after: cursor
            ).value
            found += page.items.map(\.id.value)
            cursor = page.next
        } while cursor != nil
        expect(found, equals: [1, 2, 4, 5])
        expect(Set(reports.take().map(\.description)), equals: [text])

        let results = skipping.observe(Everything.self).makeAsyncIterator()
        try await expect(results.next()?.models.map(\.id.value), equals: [1, 2, 4, 5])
        _ = try await store.create(Everything()).value
        try await expect(results.next()?.models.map(\.id.value), equals: [1, 2, 4, 5, 6])
        expect(Set(reports.take().map(\.description)), equals: [text])

        await #expect(throws: StoreError.self) {
            try await skipping.lookup(Everything.self, identifier: 3).value
        }
        // It can be mended.
        let new = Everything()
        new.id.value = 3
        _ = try await skipping.save(new, onConflict: .replace).value
        try await expect(store.list(Everything.self).value.count, equals: 6)
        try await expect(skipping.list(Everything.self).value.count, equals: 6)
        expect(reports.take(), equals: [])
    }

    @Test func `what is no damage of a record fails as ever`() async throws {
        let store = try SQLiteModelStore(path: path)
        try await fill(store)
        let reports = Reports()
        let skipping = store.skippingDamaged(reports.report)
        await #expect(throws: StoreError.unsupported("a list of -1 models")) {
            try await skipping.list(Everything.self, limit: -1).value
        }
        try await store.close().value
        await #expect(throws: StoreError.unavailable("\(path): it is closed", .notApplied)) {
            try await skipping.list(Everything.self).value
        }
        expect(reports.take(), equals: [])
    }
}
