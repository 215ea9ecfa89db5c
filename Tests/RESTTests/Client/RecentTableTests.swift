import ModelKitREST
import TestSupport
import Testing

@Suite struct RecentTableTests {
    @Test func `what was used lately stays, and the rest goes`() {
        var table = RecentTable<Int, String>(count: 10)
        for number in 0..<1_000 {
            table[number] = "\(number)"
            // Used again and again.
            expect(table[0], equals: "0")
        }
        expect((991..<1_000).allSatisfy { table[$0] == "\($0)" })
        expect(table[500], equals: nil)
        table[0] = nil
        expect(table[0], equals: nil)
        table[999] = "other"
        expect(table[999], equals: "other")
    }
}
