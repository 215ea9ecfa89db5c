import Foundation
import ModelKit

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
        guard let place = arguments.first else { throw Usage() }
        // The second program may have it open meanwhile.
        let opened = try OpenedStore(place, isShared: true)
        let store = opened.store
        switch phase {
        case "make":
            for name in ["a", "b"] {
                let order = Order()
                order.id.value = name
                order.customer.value = "Ada"
                order.lines.value = [Line("bread", 1), Line("milk", 2)]
                _ = try await store.create(order, including: \.lines).value
            }
        case "edit" where arguments.count == 2: try await edit(store, Int(arguments[1]) ?? 0)
        case "count" where arguments.count == 3:
            let line = try await store.list(Line.self, where: \.product == arguments[1]).value.first
            line?.count.value = Int(arguments[2])
            if let line { _ = try await store.update(line).value }
        case "delete":
            // Whose lines are not loaded.
            let order = try await store.lookup(Order.self, identifier: "a").value
            _ = try await store.delete(order).value
        default: throw Usage()
        }
        try await opened.close()
    }

    /// What is typed into a window that is cancelled, and into one that is not.
    private static func edit(_ store: any RecordModelStore, _ count: Int) async throws {
        let order = try await store.lookup(Order.self, identifier: "a", including: \.lines).value
        say("before: \(text(order))")
        let cancelled = order.draft()
        cancelled.customer.value = "Eve"
        cancelled.lines.value?.forEach { $0.count.value = 99 }
        cancelled.lines.append(Line("salt", 1))

        let draft = order.draft()
        draft.lines.value?.first { $0.product.value == "bread" }?.count.value = count
        draft.lines.removeAll { $0.product.value == "milk" }
        draft.lines.append(Line("eggs", 12))
        _ = readLine()
        // Somebody else may have edited it meanwhile.
        _ = try await store.load(order, \.lines).value
        for path in draft.rebase() { say("conflict: \(path)") }
        try draft.commit()
        _ = try await store.save(order, including: \.lines).value
        say("after: \(text(order))")
    }

    private static func text(_ order: Order) -> String {
        (order.lines.value ?? []).map { "\($0.count.value ?? 0) \($0.product.value ?? "")" }
            .sorted()
            .joined(separator: ", ")
    }
}
