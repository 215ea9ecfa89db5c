import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let relating: [Case] = [
        Case("a condition looks through a foreign key at what is stored") { run in
            let (acme, other, nameless) = (
                ContractCompany("c1", "Acme"), ContractCompany("c2", "Other"),
                ContractCompany("c3", nil)
            )
            try await run.store.create([acme, other, nameless])
            let missing = ContractCompany("c9", "Missing")
            let pairs: [(String, ContractCompany?)] = [
                ("a", acme), ("b", other), ("c", nil), ("d", nameless), ("e", missing), ("f", acme),
            ]
            let accounts = pairs.map { id, owner in ContractAccount(id) { $0.owner.value = owner } }
            try await run.store.create(accounts)
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
            try await run.store.update(nameless)
            try await expect(.has(\.owner, .has(\.parent, \.name == "Acme")), ["d"])
            acme.name.value = "Emca"
            try await expect(.has(\.owner, \.name == "Acme"), ["a", "f"])
            try await run.store.update(acme)
            try await expect(.has(\.owner, \.name == "Acme"), [])
        },
        Case("any of several models may fulfil a condition") { run in
            let companies = [
                ContractCompany("c1", "Acme"), ContractCompany("c2", "Other"),
                ContractCompany(run.text("c\u{0}"), nil),
            ]
            try await run.store.create(companies)
            let others: [(String, [ContractCompany]?)] = [
                ("a", [companies[1], companies[0]]), ("b", []), ("c", nil), ("d", [companies[2]]),
                ("e", [companies[1]]),
            ]
            let accounts = others.map { id, all in ContractAccount(id) { $0.others.value = all } }
            try await run.store.create(accounts)
            let expect = run.searching(ContractAccount.self)
            try await expect(.hasAny(\.others, \.name == "Acme"), ["a"])
            try await expect(!(.hasAny(\.others, \.name == "Acme")), ["b", "c", "d", "e"])
            try await expect(.hasAny(\.others, \.name == nil), ["d"])
            try await expect(.contains(\.others, companies[1]), ["a", "e"])
            try await expect(.contains(\.others, "c1"), ["a"])
        },
        Case("a condition looks into models that are kept inside") { run in
            func person(_ id: String, _ home: ContractAddress?, _ floors: Int...) -> ContractPerson
            {
                let person = ContractPerson(id, name: id)
                if let home { person.home.value = home }
                person.past.value = floors.map { ContractAddress(floor: $0) }
                return person
            }
            let unknown = ContractAddress()
            unknown.street.value = nil
            try await run.store.create([
                person("a", ContractAddress(street: "High"), 1, 2),
                person("b", ContractAddress(street: "Low")), person("c", nil, 3),
                person("d", unknown, 2),
            ])
            let expect = run.searching(ContractPerson.self)
            try await expect(.has(\.home, \.street == "High"), ["a"])
            try await expect(!(.has(\.home, \.street == "High")), ["b"])
            try await expect(.has(\.home, \.street == nil), ["d"])
            try await expect(.hasAny(\.past, \.floor >= 2), ["a", "c", "d"])
            try await expect(!(.hasAny(\.past, \.floor >= 2)), ["b"])
        },
        Case("texts are searched byte by byte") { run in
            let names = [
                "Ada", "Adam", "madam", "\u{e9}ad", "e\u{301}ad", run.text("ada\u{0}x"), "AD",
            ]
            let people = names.enumerated().map { ContractPerson("\($0)", name: $1) }
            try await run.store.create(people)
            let expect = run.searching(ContractPerson.self)
            try await expect(.contains(\.name, "da"), ["0", "1", "2", "5"])
            try await expect(.contains(\.name, "\u{e9}"), ["3"])
            try await expect(.contains(\.name, run.text("a\u{0}x")), ["5"])
            try await expect(.contains(\.name, ""), ["0", "1", "2", "3", "4", "5", "6"])
            try await expect(.hasSuffix(\.name, "am"), ["1", "2"])
            try await expect(.hasSuffix(\.name, "\u{301}ad"), ["4"])
            try await expect(!(.hasSuffix(\.name, "")), [])
            try await expect(.contains(\.city, "a"), [])
        },
        Case("a relation that no store keeps is refused by its name") { run in
            let query = RecordQuery(filter: .has("nobody", ContractPerson.schema, .isNull("name")))
            let message = "ContractPerson.nobody is not stored, so no query can look through it"
            let list: Promise = run.store.list(ContractPerson.self, matching: query)
            try await run.expect(.unsupported(message), from: list)
        },
    ]
}
