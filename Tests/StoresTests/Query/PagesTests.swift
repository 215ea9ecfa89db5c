import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@Suite struct PagesTests {
    private final class Picky: Model {
        enum Kind: String, CaseIterable, Sendable { case a }

        let id = Field<Int>()
        let kind = EnumField<Kind>()
    }

    @Test func `a page of damaged models is not the last one`() async throws {
        let store = MemoryModelStore()
        let writes = ((1...6) as ClosedRange<Int64>).map { number in
            let kind: AttributeValue = number < 3 || number == 5 ? "z" : "a"
            return RecordWrite(.create(.int(number), ["kind": kind]), of: Picky.schema)
        }
        _ = try await store.records.perform(writes).value
        let skipped = Log<StoreError>()
        var pages: [[Int?]] = []
        let whole = store.skippingDamaged { skipped.add($0) }
        for try await page in whole.pages(of: Picky.self, limit: 2) {
            pages.append(page.map(\.id.value))
        }
        expect(pages, equals: [[3, 4], [6]])
        expect(skipped.entries.count, equals: 3)
    }
}
