import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let inheriting: [Case] = [
        Case("an object of a subclass is kept whole, and found by its own class and those above") {
            run in
            let circle = ContractCircle()
            circle.id.value = "c"
            circle.name.value = "round"
            circle.radius.value = 2
            // Known by its base alone.
            let shape: ContractShape = circle
            _ = try await run.store.create(shape).value
            let plain = ContractShape()
            plain.id.value = "s"
            plain.name.value = "any"
            _ = try await run.store.create(plain).value
            for store in [run.store, run.otherSession() ?? run.store] {
                let found = try await store.lookup(ContractShape.self, identifier: "c").value
                try run.expect((found as? ContractCircle)?.radius.value, 2, "the radius")
                let own = try await store.lookup(ContractCircle.self, identifier: "c").value
                try run.expect(own === found, "the subclass gives another instance")
                try await run.expect(
                    .notFound(type: "ContractCircle", identifier: "s"),
                    from: store.lookup(ContractCircle.self, identifier: "s")
                )
            }
            circle.name.value = "rounder"
            _ = try await run.store.update(shape).value
            let other = run.otherSession() ?? run.store
            let named = try await other.list(ContractShape.self, where: \.name == "rounder").value
            try run.expect(named.map(\.id.value), ["c"], "what is found by the base's field")
            _ = try await run.store.delete(shape).value
            let left = try await run.found(ContractShape.self, RecordQuery())
            try run.expect(left, ["s"], "what is left")
        },
        Case("lists and pages of a class have the models of its subclasses, sorted as one") { run in
            for index in 0..<7 {
                let shape = index.isMultiple(of: 2) ? ContractCircle() : ContractShape()
                shape.id.value = "\(index)"
                shape.name.value = "n\(6 - index)"
                _ = try await run.store.create(shape).value
            }
            let all = try await run.store.list(
                ContractShape.self,
                orderBy: .ascending(\.name)
            ).value
            try run.expect(all.map(\.id.value), ["6", "5", "4", "3", "2", "1", "0"], "the list")
            let some = try await run.store.list(
                ContractShape.self,
                orderBy: .descending(\.name),
                limit: 3
            ).value
            try run.expect(some.map(\.id.value), ["0", "1", "2"], "the list with a limit")
            for orderings in [[Ordering<ContractShape>.ascending(\.name)], []] {
                let query = RecordQuery(order: orderings.map { $0.order }, limit: 2)
                let whole = try await run.found(
                    ContractShape.self,
                    RecordQuery(order: query.order)
                )
                var pages: [Identifier] = []
                var page = try await run.store.page(ContractShape.self, matching: query).value
                pages += page.items.compactMap(\.identifier)
                while let next = page.next {
                    var more = query
                    more.after = next
                    page = try await run.store.page(ContractShape.self, matching: more).value
                    pages += page.items.compactMap(\.identifier)
                    try run.expect(pages.count <= 7, "pages have no end")
                }
                try run.expect(pages, whole, "the pages")
            }
        },
        Case("pages leave out no model whose identifier one of another class has, too") { run in
            for (id, name) in [("a", "x"), ("b", "x"), ("c", nil), ("d", "y")] {
                for shape in [ContractCircle(), ContractShape()] {
                    shape.id.value = id
                    shape.name.value = name
                    _ = try await run.store.create(shape).value
                }
            }
            for isDescending in [false, true] {
                let query = RecordQuery(
                    filter: .or([.isNull("name"), .compare("name", .notEqual, "y")]),
                    order: [RecordQuery.Order("name", isDescending: isDescending)],
                    limit: 1
                )
                var pages: [String] = []
                var page = try await run.store.page(ContractShape.self, matching: query).value
                while pages.count < 9 {
                    pages += page.items.map { "\($0 is ContractCircle) \($0.id.value ?? "-")" }
                    guard let next = page.next else { break }
                    var more = query
                    more.after = next
                    page = try await run.store.page(ContractShape.self, matching: more).value
                }
                let right = ["a", "b", "c"].flatMap { ["true \($0)", "false \($0)"] }
                try run.expect(pages, right, "the pages")
            }
        },
    ]
}

// Safe: its properties are constants of types that guard themselves.
class ContractShape: ModelObject, @unchecked Sendable {
    let id = Field<String>()
    let name = Field<String>()

    override class var subclasses: [ModelObject.Type] { [ContractCircle.self] }
}

// Safe: as the one above.
final class ContractCircle: ContractShape, @unchecked Sendable {
    let radius = Field<Double>()
}
