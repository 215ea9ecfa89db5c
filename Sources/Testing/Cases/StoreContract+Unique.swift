import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let unique: [Case] = [
        Case("a second model with the value of a unique field is refused, and nothing is stored") {
            run in
            let ada = try await run.store.create(ContractAccount("a", email: "ada@x.org"))
            let twin = ContractAccount("b", email: "ada@x.org")
            try await run.expect(taken, from: run.store.create(twin))
            try await run.expect(taken, from: run.store.save(twin))
            try run.expect(taken.outcome, .notApplied, "the outcome")
            try run.expect(taken.issues.map(\.path), [["contact", "email"]], "the issue's path")
            try await run.expectStored(ContractAccount.self, ["a"])
            twin.email.value = "bob@x.org"
            try await run.store.create(twin)
            twin.email.value = "ada@x.org"
            try await run.expect(taken, from: run.store.update(twin))
            let other = ContractAccount("b", email: "ada@x.org")
            for onConflict in [OnConflict.replace, .merge] {
                try await run.expect(taken, from: run.store.save(other, onConflict: onConflict))
            }
            // A model keeps its own value.
            ada.city.value = "Rome"
            try await run.store.update(ada)
            let same = ContractAccount("a", email: "ada@x.org")
            try await run.store.save(same, onConflict: .replace)
            try await run.searching(ContractAccount.self)(\.email == "bob@x.org", ["b"])
        },
        Case("any number of models have no value in a unique field") { run in
            try await run.store.create(["a", "b", "c"].map { ContractAccount($0) })
            let fourth = try await run.store.create(ContractAccount("d", email: "d@x.org"))
            fourth.email.value = nil
            try await run.store.update(fourth)
            try await run.searching(ContractAccount.self)(\.email == nil, ["a", "b", "c", "d"])
        },
        Case("a value is free when its model is deleted or has another") { run in
            let ada = try await run.store.create(ContractAccount("a", email: "x@x.org"))
            ada.email.value = "y@x.org"
            try await run.store.update(ada)
            try await run.store.create(ContractAccount("b", email: "x@x.org"))
            try await run.store.delete(ada)
            try await run.store.create(ContractAccount("c", email: "y@x.org"))
            try await run.expectStored(ContractAccount.self, ["b", "c"])
        },
        Case("the values of unique fields are the same where they are in queries") { run in
            let emails = zip("abcde", ["\u{e9}", "e\u{301}", "A", "a", run.text("a\u{0}")])
            try await run.store.create(emails.map { ContractAccount("\($0)", email: $1) })
            try await run.store.create([
                ContractAccount("f") { $0.ratio.value = -0.0 },
                ContractAccount("g") { $0.seen.value = ContractAccount.dates[0] },
                ContractAccount("h") { $0.any.value = 1 },
                ContractAccount("i") { $0.any.value = "1" },
                ContractAccount("j") { $0.any.value = [1] },
                ContractAccount("k") { $0.any.value = [1] },
            ])
            for (holder, field, account) in [
                ("f", "ratio", ContractAccount("z") { $0.ratio.value = 0.0 }),
                ("g", "seen", ContractAccount("z") { $0.seen.value = ContractAccount.dates[1] }),
                ("h", "any", ContractAccount("z") { $0.any.value = 1.0 }),
                ("e", ["contact", "email"], ContractAccount("z", email: run.text("a\u{0}"))),
                // The identifier comes first, and then the first field.
                ("a", nil, ContractAccount("a", email: "A")),
                ("f", "ratio", ContractAccount("z") { ($0.ratio.value, $0.any.value) = (0, 1) }),
            ] as [(Identifier, FieldKey?, ContractAccount)] {
                try await run.expect(
                    .alreadyExists(type: "ContractAccount", identifier: holder, field: field),
                    from: run.store.create(account)
                )
            }
        },
        Case("a batch is checked write by write, and taken back as a whole") { run in
            func accounts(_ a: String, _ b: String) -> [ContractAccount] {
                [ContractAccount("a", email: a), ContractAccount("b", email: b)]
            }
            try await run.expect(taken, from: run.store.create(accounts("x", "x")))
            try await run.store.create(accounts("y", "x").reversed())
            try await run.expectStored(ContractAccount.self, ["b", "a"])
            // A swap needs a third value.
            let swap = [setting("b", "y"), setting("a", "x")]
            try await run.expect(taken, from: run.recordStore.records.perform(swap))
        },
        Case("a record may be written twice in one batch") { run in
            let records = try run.recordStore.records
            let accounts = [ContractAccount("b", email: "x"), ContractAccount("a", email: "y")]
            try await run.store.create(accounts)
            let writes = [setting("b", .null), setting("a", "x"), setting("b", "y")]
            _ = try await records.perform(writes).value
            try await run.searching(ContractAccount.self)(\.email == "x", ["a"])
        },
        Case("what is asked by an indexed field is what any field would answer") { run in
            let cities = ["Rome", "Oslo", nil, "Roma", "Rom\u{e9}", "", "Rome"]
            let accounts = cities.enumerated().map { index, city in
                ContractAccount("\(9 - index)") { $0.city.value = city }
            }
            try await run.store.create(accounts)
            let expect = run.searching(ContractAccount.self)
            try await expect(\.city == "Rome", ["9", "3"])
            try await expect(\.city != "Rome", ["8", "6", "5", "4"])
            try await expect(.hasPrefix(\.city, "Rom"), ["9", "6", "5", "3"])
            try await expect(.isIn(\.city, ["Oslo", "Rome", "Oslo"]), ["9", "8", "3"])
            try await expect(\.city < "Roma", ["8", "4"])
            try await expect(.isIn(\.city, "Roma"..."Rome"), ["9", "6", "3"])
            try await expect(\.city == nil, ["7"])
            try await expect(\.city >= "Rom" && \.city < "Rome", ["6"])
            let query = RecordQuery(order: [.init("city", isDescending: true)], limit: 4)
            let last = try await run.found(ContractAccount.self, query)
            try run.expect(last, ["5", "3", "9", "6"], "the last ones")
        },
    ]

    private static let taken = StoreError.alreadyExists(
        type: "ContractAccount",
        identifier: "a",
        field: ["contact", "email"]
    )

    private static func setting(_ id: Identifier, _ email: AttributeValue) -> RecordWrite {
        let values: [FieldKey: AttributeValue] = [["contact", "email"]: email]
        return RecordWrite(.update(id, values, revision: nil), of: ContractAccount.schema)
    }
}
