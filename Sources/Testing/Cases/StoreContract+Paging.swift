import ModelKitStores

extension StoreContract {
    static let paging: [Case] = [
        Case("pages in the order of creation give every model once") { run in
            let people = (0..<7).map { ContractPerson("p\(9 - $0)", age: $0) }
            try await run.store.create(people)
            var cursor: PageCursor?
            for expected in [people[..<3], people[3..<6], people[6...]] {
                let page = try await run.store.page(ContractPerson.self, limit: 3, after: cursor)
                try run.expect(page.items, Array(expected), "the page after \(expected.startIndex)")
                cursor = page.next
            }
            try run.expect(cursor, nil, "the cursor after the last page")
            let whole = try await run.store.page(ContractPerson.self, limit: 7)
            try run.expect(whole.next, nil, "the cursor after a page of all")
        },
        Case("sorted pages give every model once, those without a value last") { run in
            let ages: [Int?] = [3, nil, 1, 3, nil, 2, 3, 1]
            let people = ages.enumerated().map { ContractPerson("p\($0)", age: $1) }
            try await run.store.create(people)
            for limit in 1...4 {
                for (isDescending, expected) in [
                    (false, [2, 7, 5, 0, 3, 6, 1, 4]), (true, [0, 3, 6, 5, 2, 7, 1, 4]),
                ] {
                    let order = RecordQuery.Order("age", isDescending: isDescending)
                    let query = RecordQuery(order: [order], limit: limit)
                    let found = try await run.pages(ContractPerson.self, query)
                    try run.expect(found, expected.map { people[$0] }, "all pages of \(limit)")
                }
            }
        },
        Case("what is created and deleted between two pages makes none come twice or be left out") {
            run in
            let people = (0..<6).map { ContractPerson("p\($0)", age: 10 * $0) }
            try await run.store.create(people)
            var query = RecordQuery(order: [.init("age")], limit: 2)
            let first = try await run.store.page(ContractPerson.self, matching: query).value
            let unsorted = try await run.store.page(ContractPerson.self, limit: 2)
            try await run.store.delete(people[1])
            try await run.store.delete(people[0])
            let new = [ContractPerson("a", age: 5), ContractPerson("z", age: 25)]
            try await run.store.create(new)
            (query.limit, query.after) = (3, first.next)
            let second = try await run.store.page(ContractPerson.self, matching: query).value
            try run.expect(second.items, [people[2], new[1], people[3]], "the sorted page")
            let cursor = unsorted.next
            let rest = try await run.store.page(ContractPerson.self, limit: 10, after: cursor)
            try run.expect(rest.items, people[2...] + new, "the page in the order of creation")
        },
        Case("what is created after the last ones were deleted comes after them") { run in
            let people = (0..<4).map { ContractPerson("p\($0 as Int)", age: $0) }
            try await run.store.create(people)
            let cursor = try await run.store.page(ContractPerson.self, limit: 3).next
            try await run.store.delete(people[2])
            try await run.store.delete(people[3])
            let new = try await run.store.create(ContractPerson("new"))
            let next = try await run.store.page(ContractPerson.self, limit: 3, after: cursor)
            try run.expect(next.items, [new], "the second page")
        },
        Case("a cursor is a text, and belongs to one query") { run in
            let people = (0..<3).map {
                ContractPerson("é/\($0 as Int)", name: run.text("a+\u{0}b"), age: $0)
            }
            try await run.store.create(people)
            var query = RecordQuery(order: [.init("name")], limit: 2)
            let page = try await run.store.page(ContractPerson.self, matching: query).value
            let text = page.next?.description ?? ""
            let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
            try run.expect(text.utf8.allSatisfy { plain.contains($0) }, "the cursor is \(text)")
            query.after = PageCursor(text)
            try run.expect(query.after, page.next, "the cursor of its text")
            try run.expect(PageCursor(text + "!"), nil, "the cursor of another text")
            let last = try await run.store.page(ContractPerson.self, matching: query).value
            try run.expect(last.items, [people[2]], "the last page")
            var (unsorted, filtered) = (query, query)
            (unsorted.order, filtered.filter) = ([], .compare("age", .greater, 0))
            for stranger in [unsorted, filtered] {
                try await run.expect(
                    .unsupported("the cursor belongs to a page of another query"),
                    from: run.store.page(ContractPerson.self, matching: stranger)
                )
            }
            let none: Promise = run.store.page(ContractPerson.self, limit: 0)
            try await run.expect(.unsupported("a page of 0 models"), from: none)
        },
    ]
}
