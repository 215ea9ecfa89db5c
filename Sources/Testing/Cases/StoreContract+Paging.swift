import ModelKitStores

extension StoreContract {
    static let paging: [Case] = [
        Case("pages in the order of creation give every model once") { run in
            let people = (0..<7).map { ContractPerson("p\(9 - $0)", age: $0) }
            _ = try await run.store.create(people).value
            var page = try await run.store.page(ContractPerson.self, limit: 3).value
            try run.expect(page.items, Array(people[..<3]), "the first page")
            page = try await run.store.page(ContractPerson.self, limit: 3, after: page.next).value
            try run.expect(page.items, Array(people[3..<6]), "the second page")
            page = try await run.store.page(ContractPerson.self, limit: 3, after: page.next).value
            try run.expect(page.items, Array(people[6...]), "the third page")
            try run.expect(page.next, nil, "the cursor after the last page")
            page = try await run.store.page(ContractPerson.self, limit: 7).value
            try run.expect(page.next, nil, "the cursor after a page of all")
        },
        Case("sorted pages give every model once, those without a value last") { run in
            let ages: [Int?] = [3, nil, 1, 3, nil, 2, 3, 1]
            let people = ages.enumerated().map { ContractPerson("p\($0)", age: $1) }
            _ = try await run.store.create(people).value
            for limit in 1...4 {
                for (order, expected) in [
                    (Ordering<ContractPerson>.ascending(\.age), [2, 7, 5, 0, 3, 6, 1, 4]),
                    (.descending(\.age), [0, 3, 6, 5, 2, 7, 1, 4]),
                ] {
                    var found: [ContractPerson] = []
                    var cursor: PageCursor?
                    repeat {
                        let page = try await run.store.page(
                            ContractPerson.self,
                            orderBy: order,
                            limit: limit,
                            after: cursor
                        ).value
                        found += page.items
                        cursor = page.next
                    } while cursor != nil && found.count < 20
                    try run.expect(found, expected.map { people[$0] }, "all pages")
                }
            }
        },
        Case("what is created and deleted between two pages makes none come twice or be left out") {
            run in
            let people = (0..<6).map { ContractPerson("p\($0)", age: 10 * $0) }
            _ = try await run.store.create(people).value
            let first = try await run.store.page(
                ContractPerson.self,
                orderBy: .ascending(\.age),
                limit: 2
            ).value
            let unsorted = try await run.store.page(ContractPerson.self, limit: 2).value
            _ = try await run.store.delete(people[1]).value
            _ = try await run.store.delete(people[0]).value
            let new = [ContractPerson("a", age: 5), ContractPerson("z", age: 25)]
            _ = try await run.store.create(new).value
            let second = try await run.store.page(
                ContractPerson.self,
                orderBy: .ascending(\.age),
                limit: 3,
                after: first.next
            ).value
            try run.expect(second.items, [people[2], new[1], people[3]], "the sorted page")
            let rest = try await run.store.page(
                ContractPerson.self,
                limit: 10,
                after: unsorted.next
            ).value
            try run.expect(rest.items, people[2...] + new, "the page in the order of creation")
        },
        Case("what is created after the last ones were deleted comes after them") { run in
            let people = (0..<4).map { ContractPerson("p\($0 as Int)", age: $0) }
            _ = try await run.store.create(people).value
            let first = try await run.store.page(ContractPerson.self, limit: 3).value
            _ = try await run.store.delete(people[2]).value
            _ = try await run.store.delete(people[3]).value
            let new = try await run.store.create(ContractPerson("new")).value
            let next = try await run.store.page(
                ContractPerson.self,
                limit: 3,
                after: first.next
            ).value
            try run.expect(next.items, [new], "the second page")
        },
        Case("a cursor is a text, and belongs to one query") { run in
            let people = (0..<3).map { ContractPerson("é/\($0 as Int)", name: "a+\u{0}b", age: $0) }
            _ = try await run.store.create(people).value
            let page = try await run.store.page(
                ContractPerson.self,
                orderBy: .ascending(\.name),
                limit: 2
            ).value
            let text = page.next?.description ?? ""
            let isPlain = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            try run.expect(isPlain, "the text of the cursor is \(text)")
            let cursor = PageCursor(text)
            try run.expect(cursor, page.next, "the cursor of its text")
            try run.expect(PageCursor(text + "!"), nil, "the cursor of another text")
            let last = try await run.store.page(
                ContractPerson.self,
                orderBy: .ascending(\.name),
                limit: 2,
                after: cursor
            ).value
            try run.expect(last.items, [people[2]], "the last page")
            let error = StoreError.unsupported("the cursor belongs to a page of another query")
            try await run.expect(
                error,
                from: run.store.page(ContractPerson.self, limit: 2, after: cursor)
            )
            try await run.expect(
                error,
                from: run.store.page(
                    ContractPerson.self,
                    where: \.age > 0,
                    orderBy: .ascending(\.name),
                    limit: 2,
                    after: cursor
                )
            )
            try await run.expect(
                .unsupported("a page of 0 models"),
                from: run.store.page(ContractPerson.self, limit: 0)
            )
        },
    ]
}
