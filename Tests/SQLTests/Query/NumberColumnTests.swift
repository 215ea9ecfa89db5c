import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private enum Priced {
    final class Product: Model {
        let id = Field<String>()
        let price = Field<Decimal>().indexed()
        let code = Field<Decimal>().unique()
        let serial = Field<UInt64>().indexed()
    }
}

private enum Written {
    /// The same as texts.
    final class Product: Model {
        let id = Field<String>()
        let price = Field<String>().indexed()
        let code = Field<String>().unique()
        let serial = Field<AttributeValue>().indexed()
    }
}

private final class Counter: Model {
    let id = Field<UInt64>()
    let name = Field<String>()
}

@Suite struct NumberColumnTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("products.db")
    }

    private func product(_ id: String, _ price: String, _ serial: UInt64 = 1) -> Priced.Product {
        let product = Priced.Product()
        product.id.value = id
        product.price.value = Decimal(string: price)
        product.code.value = Decimal(string: price)
        product.serial.value = serial
        return product
    }

    @Test func `decimals and unsigned integers compare and sort as numbers`() async throws {
        let stores: [any RecordModelStore] = [
            MemoryModelStore(), try SQLiteModelStore(path: path),
            try ArchiveModelStore(directory: directory.file("archive")),
        ]
        let prices = ["1.50", "9", "10", "100", "-3", "0.1", "100000000000000000000", "2"]
        for store in stores {
            for (index, price) in prices.enumerated() {
                let serial: UInt64 = index < 2 ? 9_999_999_999_999_999_999 + UInt64(index) : 5
                _ = try await store.create(product("\(index)", price, serial)).value
            }
            let cheap = try await store.list(Priced.Product.self, where: \.price < 10).value
            expect(cheap.compactMap(\.id.value), equals: ["0", "1", "4", "5", "7"])
            let sorted = try await store.list(
                Priced.Product.self,
                orderBy: .ascending(\.price)
            ).value
            expect(
                sorted.compactMap { $0.price.value?.description },
                equals: [
                    "-3", "0.1", "1.5", "2", "9", "10", "100", "100000000000000000000",
                ]
            )
            let great = try await store.list(
                Priced.Product.self,
                where: \.serial > 5,
                orderBy: .descending(\.serial)
            ).value
            expect(great.compactMap(\.id.value), equals: ["1", "0"])
            let error = await #expect(throws: StoreError.self) {
                try await store.create(product("twin", "1.5")).value
            }
            guard case .alreadyExists(_, "0", field: "code")? = error else {
                Issue.record("\(error as Any)")
                continue
            }
        }
    }

    @Test func `SQLite finds and sorts numbers by the index of their order`() async throws {
        let store = try SQLiteModelStore(path: path)
        let products = (0..<3_000).map { product("\($0)", "\($0).25", .max - UInt64($0)) }
        _ = try await store.create(products).value
        let records = try #require(store.records as? SQLiteRecordStore)
        let wide = AttributeValue.string("18446744073709551610")
        let cases: [(RecordQuery, index: String)] = [
            (RecordQuery(filter: .compare("price", .less, "3.5")), "Product.price"),
            (RecordQuery(filter: .compare("price", .equal, 7.25)), "Product.price"),
            (RecordQuery(filter: .isIn("price", ["7.25", "8.25"])), "Product.price"),
            (RecordQuery(filter: .isNull("price")), "Product.price"),
            (RecordQuery(filter: .compare("code", .equal, "7.25")), "unique:Product.code"),
            (RecordQuery(filter: .compare("serial", .greater, wide)), "Product.serial"),
            (RecordQuery(order: [.init("price")], limit: 10), "Product.price"),
            (
                RecordQuery(order: [.init("serial", isDescending: true)], limit: 10),
                "Product.serial"
            ),
        ]
        for (query, index) in cases {
            let plan = try await records.explanation(of: query, of: Priced.Product.schema).value
            expect(
                plan.allSatisfy { $0.contains("_modelkit_index:\(index)") && !$0.contains("SCAN") }
                    || query.limit != nil
                        && plan.contains { $0.contains("_modelkit_index:\(index)") },
                "\(query): \(plan)"
            )
        }
    }

    @Test func `a file with indexes of texts opens, and is read and written by both`() async throws
    {
        let texts = ["9", "10", "-3", "0.1"]
        let old = try SQLiteModelStore(path: path)
        for (index, text) in texts.enumerated() {
            let product = Written.Product()
            product.id.value = "\(index)"
            product.price.value = text
            product.code.value = text
            product.serial.value = index == 0 ? "18446744073709551615" : .int(Int64(index))
            _ = try await old.create(product).value
        }
        try await old.close().value
        let new = try SQLiteModelStore(path: path)
        let sorted = try await new.list(Priced.Product.self, orderBy: .ascending(\.price)).value
        expect(sorted.compactMap(\.id.value), equals: ["2", "3", "0", "1"])
        let great = try await new.list(Priced.Product.self, where: \.serial > 3).value
        expect(great.compactMap(\.serial.value), equals: [.max])
        _ = try await new.create(product("4", "20.50", .max - 1)).value
        try await new.close().value
        let again = try SQLiteModelStore(path: path)
        let all = try await again.list(Written.Product.self, orderBy: .ascending(\.price)).value
        expect(all.compactMap(\.price.value), equals: ["-3", "0.1", "10", "20.5", "9"])
    }

    @Test(arguments: [
        ("price", "'1.50'"), ("price", "'1e5'"), ("price", "'abc'"), ("price", "'-0'"),
        ("price", "''"), ("serial", "'5'"), ("serial", "-1"), ("serial", "1.5"),
    ])
    func `text that is no number as stores write them is corrupt`(
        column: String,
        literal: String
    ) async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create([product("a", "1"), product("b", "300")]).value
        try SQLiteConnection(path: path)
            .execute("UPDATE Product SET \(column) = \(literal) WHERE id = 'b'")
        let error = await #expect(throws: StoreError.self) {
            try await store.list(Priced.Product.self).value
        }
        expect(error?.code, equals: "corrupt")
        expect("\(error as Any)".contains("Product.\(column) of \"b\""))
        // Letters, signs and exponents stand after all numbers.
        if ["'abc'", "'1e5'"].contains(literal) {
            let first = try await store.list(
                Priced.Product.self,
                orderBy: .ascending(\.price),
                limit: 1
            ).value
            expect(first.compactMap(\.id.value), equals: ["a"])
            let cheap = try await store.list(Priced.Product.self, where: \.price < 500).value
            expect(cheap.compactMap(\.id.value), equals: ["a"])
        }
    }

    @Test(arguments: ["1.50", "abc", "-0", "1e5", "007", "+1"])
    func `a text that is no number is not written`(text: String) async throws {
        for store in [MemoryRecordStore(), try SQLiteModelStore(path: path).records]
            as [any RecordStore]
        {
            let write = RecordWrite(
                .create("a", ["price": .string(text)]),
                of: Priced.Product.schema
            )
            let error = await #expect(throws: StoreError.self) {
                try await store.perform([write]).value
            }
            expect(error?.code, equals: "schema")
            expect("\(error as Any)".contains("Product.price"))
        }
    }

    @Test func `identifiers beyond Int64 are found and sorted by their value`() async throws {
        let identifiers: [UInt64] = [9, 10, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000]
        for store in [MemoryModelStore(), try SQLiteModelStore(path: path)]
            as [any RecordModelStore]
        {
            for identifier in identifiers.reversed() {
                let counter = Counter()
                counter.id.value = identifier
                _ = try await store.create(counter).value
            }
            let sorted = try await store.list(Counter.self, orderBy: .ascending(\.id)).value
            expect(sorted.compactMap(\.id.value), equals: identifiers)
            let page = try await store.page(
                Counter.self,
                orderBy: .descending(\.id),
                limit: 3
            ).value
            expect(page.items.compactMap(\.id.value), equals: identifiers.reversed().dropLast())
            let found = try await store.list(Counter.self, where: \.id >= identifiers[3]).value
            expect(found.compactMap(\.id.value), equals: [identifiers[3]])
        }
    }

    @Test func `the cursor of a version that sorted texts is refused clearly`() async throws {
        let store = MemoryRecordStore()
        var query = RecordQuery(order: [.init("price")], limit: 1)
        let record = Record(identifier: "a", revision: 1, values: ["price": "1"])
        let cursor = PageCursor(after: record, in: query, of: Written.Product.schema)
        let next = try #require(PageCursor(cursor.description))
        query.after = next
        let error = await #expect(throws: StoreError.self) {
            try await store.fetch(query, of: Priced.Product.schema).value
        }
        expect(error?.code, equals: "unsupported")
        expect("\(error as Any)".contains("sorted numbers as texts"))
    }

    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func `a database whose texts are not in UTF-8 is refused`(encoding: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA encoding = '\(encoding)'")
        try connection.execute("CREATE TABLE other (x)")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for access in [SQLiteModelStore.Access.readWrite, .readOnly] {
            let error = #expect(throws: StoreError.self) {
                try SQLiteModelStore(path: path, access: access)
            }
            expect(error?.code, equals: "schema")
            expect("\(error as Any)".contains(encoding))
        }
        try expect(Data(contentsOf: URL(fileURLWithPath: path)), equals: before)
    }
}
