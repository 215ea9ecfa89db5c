import Foundation
import ModelKitREST
import ModelKitServer
import TestSupport
import Testing

@Suite struct IdempotencyBudgetTests {
    private func key(_ principal: String, _ number: Int) -> IdempotencyKey {
        IdempotencyKey(principal: principal, value: "\(number)")
    }

    /// Whether a key is new, and is then answered by so many bytes.
    private func answer(
        _ store: MemoryIdempotencyStore,
        _ key: IdempotencyKey,
        _ count: Int
    ) -> Bool {
        guard case .new = store.begin(key, fingerprint: 1) else { return false }
        store.end(key, with: HTTPResponse(status: 200, body: Data(count: count)))
        return true
    }

    /// How many bytes are kept of an answer; nil if none is.
    private func kept(_ store: MemoryIdempotencyStore, _ key: IdempotencyKey) -> Int? {
        guard case .answered(let response) = store.begin(key, fingerprint: 1) else {
            store.end(key, with: nil)
            return nil
        }
        return response.body.count
    }

    @Test func `whoever has many keys pushes out their own first`() {
        let store = MemoryIdempotencyStore(capacity: 10)
        expect(answer(store, key("ada", 0), 1))
        for number in 0..<1_000 { expect(answer(store, key("eve", number), 1)) }
        expect(kept(store, key("ada", 0)), equals: 1)
        for number in 991...999 { expect(kept(store, key("eve", number)), equals: 1) }
        expect(kept(store, key("eve", 990)), equals: nil)
        // Somebody new gets the place of the oldest of all.
        expect(answer(store, key("bob", 0), 1))
        expect(kept(store, key("bob", 0)), equals: 1)
    }

    @Test func `answers have so many bytes together, and each a part of them`() {
        let store = MemoryIdempotencyStore(bytes: 160_000)
        for number in 0..<100 { expect(answer(store, key("eve", number), 9_000)) }
        expect(kept(store, key("eve", 92)), equals: 9_000)
        expect(kept(store, key("eve", 99)), equals: 9_000)
        expect(kept(store, key("eve", 50)), equals: nil)
        expect(answer(store, key("eve", 100), 20_000))
        expect(kept(store, key("eve", 100)), equals: 0)
        // Keys that are under way take room, too.
        let long = String(repeating: "p", count: 50_000)
        for number in 0..<3 {
            guard case .new = store.begin(key(long, number), fingerprint: 1) else {
                Issue.record("there is room")
                return
            }
        }
        guard case .full = store.begin(key(long, 3), fingerprint: 1) else {
            Issue.record("there is room for what is under way alone")
            return
        }
    }
}
