import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension StoreContract {
    static let lookingUp: [Case] = [
        Case("a lookup gives the instance in use, also in a list") { run in
            let person = try await run.store.create(ContractPerson("p1", name: "Ada"))
            let found = try await run.store.lookup(ContractPerson.self, identifier: "p1")
            try run.expect(found === person, "the lookup gives another instance")
            try run.expect(await run.store.list(ContractPerson.self), [person], "the list")
        },
        Case("a lookup of what nobody changed leaves dates and models inside alone") { run in
            let person = ContractPerson("p1", name: "Ada")
            let home = ContractAddress()
            // A store keeps microseconds, and this is between two.
            home.since.value = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_7)
            (person.born.value, person.home.value) = (home.since.value, home)
            try await run.store.create(person)
            let revision = person.born.revision
            _ = try await run.store.lookup(ContractPerson.self, identifier: "p1")
            try run.expect(person.home.value === home, "the model inside is another one")
            try run.expect(person.born.revision, revision, "the revision of the date")
        },
        Case("a lookup of what is not there is notFound, whatever the identifier") { run in
            try await run.store.create(ContractPerson("7", name: "Ada"))
            try await run.store.create(ContractItem(7))
            func expectMissing<M: Model>(_ type: M.Type, _ identifier: Identifier) async throws {
                try await run.expect(
                    .notFound(type: "\(type)", identifier: identifier),
                    from: run.store.lookup(type, identifier: identifier)
                )
            }
            for identifier: Identifier in ["p1", "", 7, "'; DROP TABLE \"ContractPerson\"; --"] {
                try await expectMissing(ContractPerson.self, identifier)
            }
            try await expectMissing(ContractItem.self, "7")
        },
        Case("a UUID is its text in capitals, as an identifier, in a key and in a condition") {
            run in
            let ids = ([0xB0, 0x0B, 0xFB] as [UInt8]).map(uuid)
            let tickets = ids.map { id in ContractTicket(id) { $0.code.value = id } }
            for ticket in tickets.dropFirst() { ticket.parent.value = tickets[0] }
            try await run.store.create(tickets)
            let read = try await run.reader.lookup(ContractTicket.self, identifier: ids[1])
            try run.expect(read.code.value, ids[1], "the code")
            try run.expect(read.parent.value?.id.value, ids[0], "the parent")
            for other in [ids[1].uuidString.lowercased(), ids[1].uuidString + "0", "x"] {
                try await run.expect(
                    .notFound(type: "ContractTicket", identifier: .string(other)),
                    from: run.store.lookup(ContractTicket.self, identifier: other)
                )
            }
            let (parent, last) = (ids[0].attributeValue, ids[2].attributeValue)
            for (query, found) in [
                (.init(filter: .compare("parent", .equal, parent)), [ids[1], ids[2]]),
                (.init(filter: .isIn("id", ["x", last])), [ids[2]]),
                (.init(filter: .compare("code", .less, "C")), [ids[0], ids[1]]),
                (.init(filter: .compare("code", .notEqual, last)), [ids[0], ids[1]]),
                (.init(filter: .hasPrefix("code", "B")), [ids[0]]),
                (.init(order: [.init("code")], limit: 2), [ids[1], ids[0]]),
            ] as [(RecordQuery, [UUID])] {
                try run.expect(
                    await run.found(ContractTicket.self, query),
                    found.map(\.identifier),
                    "what \(query) finds"
                )
            }
            try await run.expect(
                .alreadyExists(type: "ContractTicket", identifier: .init(ids[2]), field: "code"),
                from: run.store.create(ContractTicket(uuid(1)) { $0.code.value = ids[2] })
            )
            let made = try await run.store.create(ContractTicket())
            try run.expect(made.id.value != nil, "no identifier was made")
            tickets[2].parent.value = made
            try await run.store.update(tickets[2])
            try await run.store.delete(tickets[1])
            let record = try await run.record(.init(ids[2]), of: ContractTicket.self)
            try run.expect(record?["parent"], made.identifier?.attributeValue, "the key")
        },
        Case("every value comes back as it was, after the instance is gone") { run in
            for (index, sample) in samples.map(run.values).enumerated() {
                let id = "p\(index)"
                let values = sample.merging(["id": .string(id)]) { $1 }
                try await run.store.create(ContractPerson(dictionaryValue: values))
                // Another session, if there is one, cannot give the instance that was created.
                let found = try await run.reader.lookup(ContractPerson.self, identifier: id)
                let read = found.dictionaryValue()
                for (key, value) in values {
                    let what = "\(key) of sample \(index)"
                    try run.expect(exact(read[key] ?? .null), exact(value), what)
                }
            }
        },
        Case("texts that mean something elsewhere are only texts") { run in
            for (index, text) in hostile.map(run.text).enumerated() {
                let id = "\(index) \(text)"
                let person = ContractPerson(id, name: text)
                (person.quoted.value, person.city.value, person.tags.value) = (text, text, [text])
                person.extra.value = .dictionary([text: .string(text), "$date": .string(text)])
                try await run.store.create(person)
                for filter: RecordFilter in [
                    .compare("name", .equal, .string(text)),
                    .compare(["address", "city"], .equal, .string(text)),
                    .contains("tags", .string(text)),
                    .isIn("said \"it's\"; DROP TABLE x --", [.string(text)]),
                ] {
                    let found = try await run.found(ContractPerson.self, .init(filter: filter))
                    let bytes = found.map(\.description).map { Array($0.utf8) }
                    try run.expect(bytes, [Array(id.utf8)], "what \(filter) finds")
                }
                let read = try await run.reader.lookup(ContractPerson.self, identifier: id)
                try run.expect(
                    exact(.dictionary(read.dictionaryValue())),
                    exact(.dictionary(person.dictionaryValue())),
                    "the model"
                )
            }
            let count = try await run.store.list(ContractPerson.self).count
            try run.expect(count, hostile.count, "the number of models")
        },
    ]

    /// A text that differs for values which are equal in Swift: -0.0 from 0.0, é from é.
    ///
    /// Dates count to the microsecond.
    private static func exact(_ value: AttributeValue) -> String {
        switch value {
        case .null, .bool, .int: "\(value)"
        case .double(let number): "double \(number.bitPattern)"
        case .string(let text): "\(Array(text.utf8))"
        case .data(let data): "data \(Array(data))"
        case .date(let date): "date \(Timestamp.microseconds(of: date))"
        case .array(let values): "\(values.map(exact))"
        case .dictionary(let values):
            "{\(values.map { "\(Array($0.key.utf8)): \(exact($0.value))" }.sorted())}"
        }
    }

    private static let texts = [
        "", "Ada", "it's \"quoted\"", "back\\slash \n\r\t", "🧑‍👩‍👧", "a\u{0}b", "\u{0}", "\u{e9}",
        "e\u{301}", "\u{feff}bom", "\u{1}\u{7f}\u{fffd}\u{10ffff}",
    ]

    private static let numbers: [Double] = [
        0, -0.0, 1, -1, 0.1, 1 / 3, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .pi, 1e15,
        9_007_199_254_740_992, 0x1p63, -0x1p63, 123_456_789.123_456_79,
    ]

    private static let dates: [Date] = [
        0, 0.5, -0.5, -978_307_200, 800_000_000.123_456, 800_000_000.999_999_4, -1e9,
        1e9 + 0.000_001, -62_135_769_600 - 978_307_200, 64_092_211_200,
    ].map { Date(timeIntervalSinceReferenceDate: $0) }

    private static let samples: [AttributeDictionary] =
        [
            [:], ["age": 0], ["age": .int(.min)], ["age": .int(.max)], ["isActive": true],
            ["isActive": false], ["isActive": nil], ["photo": .data(Data())],
            ["photo": .data(Data(0...255))], ["tags": []],
            ["tags": .array(texts.map { .string($0) })],
            ["scores": .array(numbers.map { .double($0) })],
            ["visits": .array(dates.map { .date($0) })],
            [
                "home": ["street": "a\u{0}\"b", "since": .date(dates[4]), "floor": -1],
                "past": [["street": "x"], [:], ["floor": 3]],
            ],
        ]
        + texts.filter { !$0.isEmpty }.map { ["name": .string($0)] }
        + texts.map { ["address": ["city": .string($0)]] }
        + numbers.map { ["weight": .double($0)] }
        + dates.map { ["born": .date($0)] }
        + ([
            nil, true, false, 1, 1.0, -0.0, .int(.min), 0x1p63, "text", "a\u{0}b", "",
            .data(Data()), .data(Data([0, 1, 2])), .data(Data("true".utf8)), .date(dates[4]), [],
            [:], [1, 1.0, true, nil, "x", [[]], ["a": 1]], ["$date": 1], ["$": ["$data": "AA=="]],
            ["a": [.data(Data([1])), .date(dates[5])], "b\"": -0.0],
        ] as [AttributeValue]).map { ["extra": $0] }

    private static let hostile =
        [
            "'; DROP TABLE \"ContractPerson\"; --", "\"", "\"; DELETE FROM ContractPerson; --",
            "?1", ":a", "%", "_", "NULL", "[\"x\"]", "{\"$date\":\"2026-01-01T00:00:00Z\"}", "1",
            "true",
        ] + texts.filter { !$0.isEmpty }
}

/// One with letters in its text.
private func uuid(_ number: UInt8) -> UUID {
    UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xEF))
}
