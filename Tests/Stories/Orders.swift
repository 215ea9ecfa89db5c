import Foundation
import ModelKit
import ModelKitSQL

final class Order: Model {
    let id = Field<String>()
    let customer = Field<String>().require(.notBlank)
    let lines = ModelField<Line>(inverse: \.order, cascadeDelete: true)*

    init() { linkFields() }
}

final class Line: Model {
    let id = Field<String>()
    let product = Field<String>().require(.notBlank)
    let count = Field<Int>().require(.greaterThan(0))
    let order = ModelField<Order>(foreignKey: true)

    init() { linkFields() }

    convenience init(_ product: String, _ count: Int) {
        self.init()
        self.product.value = product
        self.count.value = count
    }
}

enum OrdersStory {
    static func run(_ phase: String, _ arguments: [String]) async throws {
        guard let path = arguments.first else { throw Usage() }
        let store = try SQLiteModelStore(path: path)
        switch phase {
        case "make":
            for name in ["a", "b"] {
                let order = Order()
                order.id.value = name
                order.customer.value = "Ada"
                order.lines.value = [Line("bread", 1), Line("milk", 2)]
                let lines = order.lines.value ?? []
                try await store.perform([.create(order)] + lines.map { .create($0) }).value
            }
        case "edit": try await edit(store)
        case "delete":
            // Whose lines are not loaded.
            let order = try await store.lookup(Order.self, identifier: "a").value
            _ = try await store.delete(order).value
        default: throw Usage()
        }
        try await store.close().value
    }

    /// What is typed into a window that is cancelled, and into one that is not.
    private static func edit(_ store: SQLiteModelStore) async throws {
        let order = try await store.lookup(Order.self, identifier: "a").value
        let before = try await store.load(order, \.lines).value
        guard let bread = before.first(where: { $0.product.value == "bread" }) else { return }
        let cancelled = bread.draft()
        cancelled.count.value = 99
        let draft = bread.draft()
        draft.count.value = 5
        say("before: \(text(order))")
        try draft.commit()
        order.lines.value?.removeAll { $0.product.value == "milk" }
        order.lines.append(Line("eggs", 12))
        say("after: \(text(order))")
        let now = order.lines.value ?? []
        let gone = before.filter { !now.contains($0) }
        try await store.perform(now.map { .save($0) } + gone.map { .delete($0) }).value
    }

    private static func text(_ order: Order) -> String {
        (order.lines.value ?? []).map { "\($0.count.value ?? 0) \($0.product.value ?? "")" }
            .sorted()
            .joined(separator: ", ")
    }
}
