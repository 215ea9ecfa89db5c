import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let creating: [Case] = [
        Case("create gives the same instance") { run in
            let person = ContractPerson("p1", name: "Ada")
            let created = try await run.store.create(person).value
            try run.expect(created === person, "it is another one")
            let list = [ContractPerson("p2", name: "Bob"), ContractPerson("p3", name: "Cy")]
            let createdList = try await run.store.create(list).value
            try run.expect(createdList, list, "the batch")
        },
        Case("create keeps an identifier that is given and makes one that is missing") { run in
            let given = try await run.store.create(ContractPerson("p1", name: "Ada")).value
            try run.expect(given.id.value, "p1", "the given identifier")
            let made = try await run.store.create(ContractPerson(nil, name: "Bob")).value
            let identifier = made.id.value ?? ""
            try run.expect(identifier.utf8.count, 36, "the length of the UUID \(identifier)")
            let other = try await run.store.create(ContractPerson(nil, name: "Cy")).value
            try run.expect(other.id.value != identifier, "two have the same identifier")
            let found = try await run.store.lookup(ContractPerson.self, identifier: identifier)
                .value
            try run.expect(found === made, "a lookup by the made identifier gives another one")
        },
        Case("numbers made as identifiers continue after the greatest there ever was") { run in
            let first = try await run.store.create(ContractItem(title: "a")).value
            try run.expect(first.id.value, 1, "the first identifier")
            let given = try await run.store.create(ContractItem(41, title: "b")).value
            _ = try await run.store.create(ContractItem(7, title: "c")).value
            let next = try await run.store.create(ContractItem(title: "d")).value
            try run.expect(next.id.value, 42, "the next identifier")
            _ = try await run.store.delete(next).value
            _ = try await run.store.delete(given).value
            let batch = [ContractItem(title: "e"), ContractItem(50), ContractItem(title: "f")]
            let identifiers = try await run.store.create(batch).value.map(\.id.value)
            try run.expect(identifiers, [43, 50, 51], "the identifiers of the batch")
            try await run.expect(
                .alreadyExists(type: "ContractItem", identifier: 1),
                from: run.store.create([ContractItem(), ContractItem(900), ContractItem(1)])
            )
            let last = try await run.store.create(ContractItem()).value
            try run.expect(last.id.value, 52, "the identifier after a failed batch")
        },
        Case("a number given at the end of the range does not use the others up") { run in
            let given = try await run.store.create(ContractItem(.max)).value
            _ = try await run.store.create([ContractItem(.max - 1), ContractItem(1 << 53)]).value
            let first = try await run.store.create(ContractItem(title: "a")).value
            try run.expect(first.id.value, 1, "the first identifier")
            _ = try await run.store.delete(given).value
            _ = try await run.store.create(ContractItem(7)).value
            let batch = [ContractItem(), ContractItem(.max), ContractItem()]
            let identifiers = try await run.store.create(batch).value.map(\.id.value)
            try run.expect(identifiers, [8, .max, 9], "the identifiers of the batch")
        },
        Case("a made number is none that is taken, and none that the field has no room for") {
            run in
            _ = try await run.store.create(ContractSmall(126)).value
            let first = try await run.store.create(ContractSmall()).value
            try run.expect(first.id.value, 1, "the first identifier")
            _ = try await run.store.create(ContractSmall(62)).value
            let rest = try await run.store.create((63...126).map { _ in ContractSmall() }).value
            try run.expect(
                rest.map(\.id.value),
                (63...125).map { $0 } + [127],
                "the identifiers up to the end"
            )
            let error = try await run.failure(of: run.store.create(ContractSmall()))
            try run.expect(error.code, "unavailable", "the error")
            try run.expect(error.outcome, .notApplied, "the outcome")
            let all = try await (run.otherSession() ?? run.store).list(ContractSmall.self).value
            try run.expect(all.count, 67, "the number of those that are stored")
        },
        Case("models without an identifier field are refused") { run in
            let error = StoreError.schema("ContractNameless has no identifier field")
            try await run.expect(error, from: run.store.create(ContractNameless()))
            try await run.expect(error, from: run.store.list(ContractNameless.self))
            try await run.expect(
                error,
                from: run.store.lookup(ContractNameless.self, identifier: 1)
            )
        },
        Case("a duplicate identifier is refused, and nothing is changed") { run in
            let person = try await run.store.create(ContractPerson("p1", name: "Ada")).value
            let twin = ContractPerson("p1", name: "Eve")
            let exists = StoreError.alreadyExists(type: "ContractPerson", identifier: "p1")
            try await run.expect(exists, from: run.store.create(twin))
            try run.expect(exists.outcome, .notApplied, "the outcome")
            let found = try await run.store.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(found === person && found.name.value == "Ada", "the first one changed")
            if let other = run.otherSession() {
                let stored = try await other.lookup(ContractPerson.self, identifier: "p1").value
                try run.expect(stored.name.value, "Ada", "the stored name")
            }
            try await run.expect(exists, from: run.store.create(person))
        },
        Case("identifiers are compared byte by byte") { run in
            let texts = [
                "\u{e9}", "e\u{301}", "A", "a", "a\u{0}", "a\u{0}b", "a/b", "..", "a?b#c", "%41",
            ]
            _ = try await run.store.create(texts.map { ContractPerson($0, name: "x" + $0) }).value
            for text in texts {
                let person = try await run.store.lookup(ContractPerson.self, identifier: text).value
                try run.expect(
                    (person.name.value ?? "").utf8.elementsEqual(("x" + text).utf8),
                    "\(text.debugDescription) finds \(person)"
                )
            }
        },
        Case("an empty identifier is one like others") { run in
            let people = [ContractPerson("a", name: "other"), ContractPerson("", name: "empty")]
            _ = try await run.store.create(people).value
            let found = try await run.store.lookup(ContractPerson.self, identifier: "").value
            try run.expect(found.name.value, "empty", "the name")
        },
        Case("a batch is created wholly or not at all, and in its order") { run in
            _ = try await run.store.create(ContractPerson("m", name: "M")).value
            try await run.expect(
                .alreadyExists(type: "ContractPerson", identifier: "m"),
                from: run.store.create([
                    ContractPerson("z", name: "Z"), ContractPerson("m", name: "N"),
                    ContractPerson("a", name: "A"),
                ])
            )
            try await run.expect(
                .alreadyExists(type: "ContractPerson", identifier: "y"),
                from: run.store.create([
                    ContractPerson("y", name: "Y"), ContractPerson("x", name: "X"),
                    ContractPerson("y", name: "Y"),
                ])
            )
            try run.expect(
                await run.found(ContractPerson.self, RecordQuery()),
                ["m"],
                "what is there after the failures"
            )
            _ = try await run.store.create(
                ["z", "b", "y"].map { ContractPerson($0, name: $0) }
            ).value
            try run.expect(
                await run.found(ContractPerson.self, RecordQuery()),
                ["m", "z", "b", "y"],
                "the order"
            )
            let none: [ContractPerson] = try await run.store.create([]).value
            try run.expect(none.isEmpty, "an empty batch gives models")
        },
        Case("a model that breaks a rule is refused with the path, and nothing is stored") { run in
            let issue = Issue(code: "custom", path: ["name"], message: "cannot be blank")
            try await run.expect(
                .validation([issue]),
                from: run.store.create(ContractPerson("p1", name: ""))
            )
            let issueOfBatch = Issue(code: "custom", path: [1, "name"], message: "cannot be blank")
            try await run.expect(
                .validation([issueOfBatch]),
                from: run.store.create([
                    ContractPerson("p1", name: "Ada"), ContractPerson("p2", name: ""),
                ])
            )
            try run.expect(
                await run.found(ContractPerson.self, RecordQuery()),
                [],
                "what is stored"
            )
            let person = try await run.store.create(ContractPerson("p1", name: "Ada")).value
            person.name.value = ""
            try await run.expect(.validation([issue]), from: run.store.update(person))
        },
        Case("a number that is not finite is refused by its field, wherever it stands") { run in
            for number in [Double.nan, .infinity, -.infinity] {
                try await run.expect(
                    .unsupported("ContractPerson.weight is \(number), which cannot be stored"),
                    from: run.store.create(ContractPerson("p1", name: "Ada", weight: number))
                )
                let person = ContractPerson("p1", name: "Ada")
                person.scores.value = [1, number]
                try await run.expect(
                    .unsupported("ContractPerson.scores is \(number), which cannot be stored"),
                    from: run.store.create(person)
                )
            }
        },
    ]
}
