import ModelKitFields
import ModelKitModels
import ModelKitStores

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoreContract {
    static let unique: [Case] = [
        Case("a second model with the value of a unique field is refused, and nothing is stored") {
            run in
            let ada = try await run.store.create(ContractAccount("a", email: "ada@x.org")).value
            let taken = StoreError.alreadyExists(
                type: "ContractAccount",
                identifier: "a",
                field: ["contact", "email"]
            )
            let twin = ContractAccount("b", email: "ada@x.org")
            try await run.expect(taken, from: run.store.create(twin))
            try await run.expect(taken, from: run.store.save(twin))
            try run.expect(taken.outcome, .notApplied, "the outcome")
            try run.expect(taken.issues.map(\.path), [["contact", "email"]], "the issue's path")
            try run.expect(
                await run.found(ContractAccount.self, RecordQuery()),
                ["a"],
                "what is stored"
            )
            twin.email.value = "bob@x.org"
            _ = try await run.store.create(twin).value
            twin.email.value = "ada@x.org"
            try await run.expect(taken, from: run.store.update(twin))
            let other = ContractAccount("b", email: "ada@x.org")
            for onConflict in [OnConflict.replace, .merge] {
                try await run.expect(taken, from: run.store.save(other, onConflict: onConflict))
            }
            // A model keeps its own value.
            ada.city.value = "Rome"
            _ = try await run.store.update(ada).value
            let same = ContractAccount("a", email: "ada@x.org")
            _ = try await run.store.save(same, onConflict: .replace).value
            try run.expect(
                await run.found(ContractAccount.self, where: \.email == "bob@x.org"),
                ["b"],
                "who has the other value"
            )
        },
        Case("an identifier that is taken is reported before a unique field") { run in
            _ = try await run.store.create(ContractAccount("a", email: "ada@x.org")).value
            try await run.expect(
                .alreadyExists(type: "ContractAccount", identifier: "a"),
                from: run.store.create(ContractAccount("a", email: "ada@x.org"))
            )
        },
        Case("of several unique fields the first one is reported") { run in
            let first = ContractAccount("a", email: "a@x.org")
            first.ratio.value = 1
            let second = ContractAccount("b", email: "b@x.org")
            second.seen.value = Date(timeIntervalSince1970: 7)
            _ = try await run.store.create([first, second]).value
            let third = ContractAccount("c")
            third.ratio.value = 1
            third.seen.value = Date(timeIntervalSince1970: 7)
            try await run.expect(
                .alreadyExists(type: "ContractAccount", identifier: "a", field: "ratio"),
                from: run.store.create(third)
            )
        },
        Case("any number of models have no value in a unique field") { run in
            let accounts = ["a", "b", "c"].map { ContractAccount($0) }
            _ = try await run.store.create(accounts).value
            let fourth = try await run.store.create(ContractAccount("d", email: "d@x.org")).value
            fourth.email.value = nil
            _ = try await run.store.update(fourth).value
            try run.expect(
                await run.found(ContractAccount.self, where: \.email == nil),
                ["a", "b", "c", "d"],
                "those without a value"
            )
        },
        Case("a value is free when its model is deleted or has another") { run in
            let ada = try await run.store.create(ContractAccount("a", email: "x@x.org")).value
            ada.email.value = "y@x.org"
            _ = try await run.store.update(ada).value
            _ = try await run.store.create(ContractAccount("b", email: "x@x.org")).value
            _ = try await run.store.delete(ada).value
            _ = try await run.store.create(ContractAccount("c", email: "y@x.org")).value
            try run.expect(
                await run.found(ContractAccount.self, RecordQuery()),
                ["b", "c"],
                "what is stored"
            )
        },
        Case("the values of unique fields are the same where they are in queries") { run in
            func account(_ id: String, _ edit: (ContractAccount) -> Void) -> ContractAccount {
                let account = ContractAccount(id)
                edit(account)
                return account
            }
            _ = try await run.store.create([
                account("a") { $0.email.value = "\u{e9}" },
                account("b") { $0.email.value = "e\u{301}" },
                account("c") { $0.email.value = "A" },
                account("d") { $0.email.value = "a" },
                account("e") { $0.email.value = "a\u{0}" },
                account("f") { $0.ratio.value = -0.0 },
                account("g") { $0.seen.value = Date(timeIntervalSince1970: 1) },
                account("h") { $0.any.value = 1 },
                account("i") { $0.any.value = "1" },
                account("j") { $0.any.value = [1] },
                account("k") { $0.any.value = [1] },
            ]).value
            func expectTaken(
                _ holder: Identifier,
                _ field: FieldKey,
                _ edit: (ContractAccount) -> Void
            ) async throws {
                try await run.expect(
                    .alreadyExists(type: "ContractAccount", identifier: holder, field: field),
                    from: run.store.create(account("z", edit))
                )
            }
            try await expectTaken("f", "ratio") { $0.ratio.value = 0.0 }
            try await expectTaken("g", "seen") {
                $0.seen.value = Date(timeIntervalSince1970: 1.000_000_2)
            }
            try await expectTaken("h", "any") { $0.any.value = 1.0 }
            try await expectTaken("e", ["contact", "email"]) { $0.email.value = "a\u{0}" }
        },
        Case("a batch is checked write by write, and taken back as a whole") { run in
            try await run.expect(
                .alreadyExists(
                    type: "ContractAccount",
                    identifier: "a",
                    field: ["contact", "email"]
                ),
                from: run.store.create([
                    ContractAccount("a", email: "x"), ContractAccount("b", email: "x"),
                ])
            )
            _ = try await run.store.create([
                ContractAccount("b", email: "x"), ContractAccount("a", email: "y"),
            ]).value
            try run.expect(
                await run.found(ContractAccount.self, RecordQuery()),
                ["b", "a"],
                "what is stored"
            )
            guard let records = (run.store as? any RecordModelStore)?.records else { return }
            func set(_ id: Identifier, _ email: AttributeValue) -> RecordWrite {
                RecordWrite(
                    .update(id, [["contact", "email"]: email], revision: nil),
                    of: ContractAccount.schema
                )
            }
            // A swap needs a third value.
            try await run.expect(
                .alreadyExists(
                    type: "ContractAccount",
                    identifier: "a",
                    field: ["contact", "email"]
                ),
                from: records.perform([set("b", "y"), set("a", "x")])
            )
        },
        Case("a record may be written twice in one batch") { run in
            guard let records = (run.store as? any RecordModelStore)?.records else { return }
            _ = try await run.store.create([
                ContractAccount("b", email: "x"), ContractAccount("a", email: "y"),
            ]).value
            func set(_ id: Identifier, _ email: AttributeValue) -> RecordWrite {
                RecordWrite(
                    .update(id, [["contact", "email"]: email], revision: nil),
                    of: ContractAccount.schema
                )
            }
            _ = try await records.perform([set("b", .null), set("a", "x"), set("b", "y")]).value
            try run.expect(
                await run.found(ContractAccount.self, where: \.email == "x"),
                ["a"],
                "who has the first value"
            )
        },
        Case("what is asked by an indexed field is what any field would answer") { run in
            let cities = ["Rome", "Oslo", nil, "Roma", "Rom\u{e9}", "", "Rome"]
            _ = try await run.store.create(
                cities.enumerated().map { index, city in
                    let account = ContractAccount("\(9 - index)")
                    if let city { account.city.value = city }
                    return account
                }
            ).value
            let expect = run.searching(ContractAccount.self)
            try await expect(\.city == "Rome", ["9", "3"])
            try await expect(\.city != "Rome", ["8", "6", "5", "4"])
            try await expect(.hasPrefix(\.city, "Rom"), ["9", "6", "5", "3"])
            try await expect(.isIn(\.city, ["Oslo", "Rome", "Oslo"]), ["9", "8", "3"])
            try await expect(\.city < "Roma", ["8", "4"])
            try await expect(.isIn(\.city, "Roma"..."Rome"), ["9", "6", "3"])
            try await expect(\.city == nil, ["7"])
            try await expect(\.city >= "Rom" && \.city < "Rome", ["6"])
            try run.expect(
                await run.store.list(
                    ContractAccount.self,
                    orderBy: .descending(\.city),
                    limit: 4
                ).value.compactMap(\.identifier),
                ["5", "3", "9", "6"],
                "the last ones"
            )
        },
    ]

    static let relating: [Case] = [
        Case("a condition looks through a foreign key at what is stored") { run in
            let (acme, other, nameless) = (
                ContractCompany("c1", "Acme"), ContractCompany("c2", "Other"),
                ContractCompany("c3", nil)
            )
            _ = try await run.store.create([acme, other, nameless]).value
            let missing = ContractCompany("c9", "Missing")
            _ = try await run.store.create([
                ContractAccount("a", owner: acme), ContractAccount("b", owner: other),
                ContractAccount("c", owner: nil), ContractAccount("d", owner: nameless),
                ContractAccount("e", owner: missing), ContractAccount("f", owner: acme),
            ]).value
            let expect = run.searching(ContractAccount.self)
            try await expect(.has(\.owner, \.name == "Acme"), ["a", "f"])
            // Unknown where there is none, and where it is unknown of it.
            try await expect(!(.has(\.owner, \.name == "Acme")), ["b"])
            try await expect(.has(\.owner, \.name == nil), ["d"])
            try await expect(!(.has(\.owner, \.name == nil)), ["a", "b", "f"])
            try await expect(\.owner == acme, ["a", "f"])
            try await expect(\.owner == "c2", ["b"])
            try await expect(\.owner != acme, ["b", "d", "e"])
            try await expect(\.owner == nil, ["c"])
            try await expect(.isIn(\.owner, [other, nameless]), ["b", "d"])
            try await expect(.has(\.owner, \.name == "Acme") || \.owner == nil, ["a", "c", "f"])
            try await expect(.has(\.owner, .has(\.parent, \.name == "Acme")), [])
            nameless.parent.value = acme
            _ = try await run.store.update(nameless).value
            try await expect(.has(\.owner, .has(\.parent, \.name == "Acme")), ["d"])
            acme.name.value = "Emca"
            try await expect(.has(\.owner, \.name == "Acme"), ["a", "f"])
            _ = try await run.store.update(acme).value
            try await expect(.has(\.owner, \.name == "Acme"), [])
        },
        Case("any of several models may fulfil a condition") { run in
            let companies = [
                ContractCompany("c1", "Acme"), ContractCompany("c2", "Other"),
                ContractCompany("c\u{0}", nil),
            ]
            _ = try await run.store.create(companies).value
            func account(_ id: String, _ companies: [ContractCompany]?) -> ContractAccount {
                let account = ContractAccount(id)
                if let companies { account.others.value = companies }
                return account
            }
            _ = try await run.store.create([
                account("a", [companies[1], companies[0]]), account("b", []), account("c", nil),
                account("d", [companies[2]]), account("e", [companies[1]]),
            ]).value
            let expect = run.searching(ContractAccount.self)
            try await expect(.hasAny(\.others, \.name == "Acme"), ["a"])
            try await expect(!(.hasAny(\.others, \.name == "Acme")), ["b", "c", "d", "e"])
            try await expect(.hasAny(\.others, \.name == nil), ["d"])
            try await expect(.contains(\.others, companies[1]), ["a", "e"])
            try await expect(.contains(\.others, "c1"), ["a"])
        },
        Case("a condition looks into models that are kept inside") { run in
            func person(_ id: String, _ street: String?, _ past: [Int]) -> ContractPerson {
                let person = ContractPerson(id, name: id)
                if let street {
                    person.home.value = ContractAddress()
                    person.home.value?.street.value = street.isEmpty ? nil : street
                }
                person.past.value = past.map { floor in
                    let address = ContractAddress()
                    address.floor.value = floor
                    return address
                }
                return person
            }
            _ = try await run.store.create([
                person("a", "High", [1, 2]), person("b", "Low", []), person("c", nil, [3]),
                person("d", "", [2]),
            ]).value
            let expect = run.searching(ContractPerson.self)
            try await expect(.has(\.home, \.street == "High"), ["a"])
            try await expect(!(.has(\.home, \.street == "High")), ["b"])
            try await expect(.has(\.home, \.street == nil), ["d"])
            try await expect(.hasAny(\.past, \.floor >= 2), ["a", "c", "d"])
            try await expect(!(.hasAny(\.past, \.floor >= 2)), ["b"])
        },
        Case("texts are searched byte by byte") { run in
            let names = ["Ada", "Adam", "madam", "\u{e9}ad", "e\u{301}ad", "ada\u{0}x", "AD"]
            _ = try await run.store.create(
                names.enumerated().map { ContractPerson("\($0)", name: $1) }
            ).value
            let expect = run.searching(ContractPerson.self)
            try await expect(.contains(\.name, "da"), ["0", "1", "2", "5"])
            try await expect(.contains(\.name, "\u{e9}"), ["3"])
            try await expect(.contains(\.name, "a\u{0}x"), ["5"])
            try await expect(.contains(\.name, ""), ["0", "1", "2", "3", "4", "5", "6"])
            try await expect(.hasSuffix(\.name, "am"), ["1", "2"])
            try await expect(.hasSuffix(\.name, "\u{301}ad"), ["4"])
            try await expect(!(.hasSuffix(\.name, "")), [])
            try await expect(.contains(\.city, "a"), [])
        },
        Case("a relation that no store keeps is refused by its name") { run in
            let query = RecordQuery(filter: .has("nobody", ContractPerson.schema, .isNull("name")))
            try await run.expect(
                .unsupported(
                    "ContractPerson.nobody is not stored, so no query can look through it"
                ),
                from: run.store.list(ContractPerson.self, matching: query)
            )
        },
    ]
}
