import ModelKitEssentials
import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let inheriting: [Case] = [
        Case("an object of a subclass is kept whole, and found by its own class and those above") {
            run in
            let circle = ContractCircle("c")
            (circle.name.value, circle.radius.value) = ("round", 2)
            // Known by its base alone.
            let shape: ContractShape = circle
            try await run.store.create(shape)
            try await run.store.create(ContractShape("s") { $0.name.value = "any" })
            for store in [run.store, run.reader] {
                let found = try await store.lookup(ContractShape.self, identifier: "c")
                try run.expect((found as? ContractCircle)?.radius.value, 2, "the radius")
                let own = try await store.lookup(ContractCircle.self, identifier: "c")
                try run.expect(own === found, "the subclass gives another instance")
                try await run.expect(
                    .notFound(type: "ContractCircle", identifier: "s"),
                    from: store.lookup(ContractCircle.self, identifier: "s")
                )
            }
            circle.name.value = "rounder"
            try await run.store.update(shape)
            let named = try await run.reader.list(ContractShape.self, where: \.name == "rounder")
            try run.expect(named.map(\.id.value), ["c"], "what is found by the base's field")
            try await run.store.delete(shape)
            try await run.expectStored(ContractShape.self, ["s"], "what is left")
        },
        Case("lists and pages of a class have the models of its subclasses, sorted as one") { run in
            for index in 0..<7 {
                let shape = index.isMultiple(of: 2) ? ContractCircle() : ContractShape()
                (shape.id.value, shape.name.value) = ("\(index)", "n\(6 - index)")
                try await run.store.create(shape)
            }
            for (query, identifiers) in [
                (RecordQuery(order: [.init("name")]), ["6", "5", "4", "3", "2", "1", "0"]),
                (.init(order: [.init("name", isDescending: true)], limit: 3), ["0", "1", "2"]),
            ] as [(RecordQuery, [Identifier])] {
                let found = try await run.found(ContractShape.self, query)
                try run.expect(found, identifiers, "the list of \(query)")
            }
            for order in [[RecordQuery.Order("name")], []] {
                let whole = try await run.found(ContractShape.self, RecordQuery(order: order))
                let query = RecordQuery(order: order, limit: 2)
                let pages = try await run.pages(ContractShape.self, query).map(\.identifier)
                try run.expect(pages, whole, "the pages")
            }
        },
        Case("pages leave out no model whose identifier one of another class has, too") { run in
            for (id, name) in [("a", "x"), ("b", "x"), ("c", nil), ("d", "y")] {
                for shape in [ContractCircle(), ContractShape()] {
                    (shape.id.value, shape.name.value) = (id, name)
                    try await run.store.create(shape)
                }
            }
            for isDescending in [false, true] {
                let query = RecordQuery(
                    filter: .or([.isNull("name"), .compare("name", .notEqual, "y")]),
                    order: [RecordQuery.Order("name", isDescending: isDescending)],
                    limit: 1
                )
                let pages = try await run.pages(ContractShape.self, query)
                let found = pages.map { "\($0 is ContractCircle) \($0.id.value ?? "-")" }
                let right = ["a", "b", "c"].flatMap { ["true \($0)", "false \($0)"] }
                try run.expect(found, right, "the pages")
            }
        },
    ]
}

// Safe: its properties are constants of types that guard themselves.
class ContractShape: ModelObject, ContractModel, @unchecked Sendable {
    let id = Field<String>()
    let name = Field<String>()
    let size = Field<Decimal>()

    override class var subclasses: [ModelObject.Type] { [ContractCircle.self] }
}

// Safe: as the one above.
final class ContractCircle: ContractShape, @unchecked Sendable {
    let radius = Field<Double>()
}
