import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct HandlerQueryTests {
    func serving() async throws -> Serving {
        let serving = try Serving()
        let players: [AttributeDictionary] = [
            [
                "id": "a", "full_name": "Ann", "jersey_number": 7, "weight": 60.5,
                "is_active": true, "joined_at": "2026-01-01T00:00:00Z", "nick_names": ["x", "y,z"],
                "home_address": ["town": "Rome"], "team": 1, "anything": "w",
            ],
            [
                "id": "b", "full_name": "Bob, Jr", "jersey_number": 9, "weight": 80,
                "is_active": false, "joined_at": "2026-06-01T00:00:00Z", "nick_names": [],
                "team": 2, "anything": 5,
            ],
            ["id": "c", "full_name": "Cy", "is_active": true],
        ]
        try await serving.ask(.post, "/teams", ["id": 1, "title": "Reds"])
        try await serving.ask(.post, "/teams", ["id": 2, "title": "Blues"])
        for player in players { try await serving.ask(.post, "/players", .dictionary(player)) }
        return serving
    }

    @Test(arguments: [
        ("full_name=Ann", "a"), ("full_name[eq]=Ann", "a"), ("full_name[ne]=Ann", "bc"),
        ("full_name%5Bprefix%5D=B", "b"), ("full_name[suffix]=y", "c"),
        ("full_name[substring]=n", "a"), ("full_name[in]=Ann,Bob\\,%20Jr,Nobody", "ab"),
        ("full_name[ge]=Bob", "bc"), ("jersey_number=7", "a"), ("jersey_number[gt]=7", "b"),
        ("jersey_number[null]=true", "c"), ("jersey_number[null]=false", "ab"),
        ("jersey_number[in]=7,9,11", "ab"), ("jersey_number[ge]=7&jersey_number[lt]=9", "a"),
        ("weight=80", "b"), ("weight[le]=60.5", "a"), ("is_active=false", "b"),
        ("joined_at[ge]=2026-03-01T00:00:00Z", "b"), ("nick_names=x", "a"),
        ("nick_names[contains]=y,z", "a"), ("home_address.town=Rome", "a"), ("team=2", "b"),
        ("team[ne]=2", "a"), ("anything=w", "a"), ("anything=5", "b"), ("full_name=", ""),
        (#"filter={"ge":["jersey_number",9]}"#, "b"),
        (#"filter={"ge":["jersey_number",7]}&full_name[ne]=Ann"#, "b"),
        (#"filter={"has":["team",{"eq":["title","Reds"]}]}"#, "a"), ("sort=-id", "cba"),
        ("sort=-jersey_number", "bac"), ("sort=home_address.town,-full_name", "acb"), ("", "abc"),
        ("&&", "abc"), ("subclasses=false", "abc"), ("limit=2", "ab"), ("limit=99999999", "abc"),
    ])
    func `simple parameters are read by the kind of their field`(
        query: String,
        expected: String
    ) async throws {
        let encoded = query.replacing("\"", with: "%22").replacing("{", with: "%7B")
        let answer = try await serving().ask(.get, "/players?" + encoded)
        let found = answer.identifiers.map { if case .string(let id) = $0 { id } else { "?" } }
        expect(answer.status == 200 && found.joined() == expected, "\(answer.body)")
    }

    @Test(arguments: [
        ("age=3", "age: Player has no field age"),
        ("fullName=3", "fullName: Player has no field fullName"),
        ("jersey_number=x", #"jersey_number: must be an integer, not "x""#),
        ("jersey_number=", #"jersey_number: must be an integer, not """#),
        ("jersey_number=7.0", #"jersey_number: must be an integer, not "7.0""#),
        ("jersey_number[in]=7,", #"jersey_number[in]: must be an integer, not """#),
        ("weight=heavy", #"weight: must be a number, not "heavy""#),
        ("weight=nan", #"weight: must be a number, not "nan""#),
        ("is_active=1", #"is_active: must be true or false, not "1""#),
        (
            "joined_at=today",
            #"joined_at: must be a date such as 2026-01-31T12:00:00Z, not "today""#
        ),
        ("jersey_number[prefix]=7", #"jersey_number[prefix]: "prefix" is no test of such a field"#),
        ("full_name[like]=7", #"full_name[like]: "like" is no test of such a field"#),
        ("full_name[]=7", "full_name[]: says nothing in its brackets"),
        ("full_name[eq=7", "full_name[eq: has no ] at its end"),
        ("nick_names[ge]=7", #"nick_names[ge]: "ge" is no test of such a field"#),
        ("full_name[null]=maybe", "full_name[null]: must be true or false"),
        ("bio=x", "bio: is a model; only a filter can ask about it"),
        ("team=x", #"team: must be an integer, not "x""#),
        ("full_name=a&full_name=b", "full_name: comes several times"),
        ("limit=-1", "limit: must be a number from 0 on"),
        ("limit=x", "limit: must be a number from 0 on"),
        ("after=x", "after: is no cursor"), ("sort=age", "sort: Player has no field age"),
        ("filter=x", nil), ("filter=%zz", nil),
        ("subclasses=no", "subclasses: must be true or false"),
        ("%5B=3", nil), ("=3", nil), ("a%ff=3", nil),
    ])
    func `what is wrong with a parameter is said`(query: String, detail: String?) async throws {
        let answer = try await serving().ask(.get, "/players?" + query)
        expect(answer.status == 400 && answer["code"] == "request")
        guard case .string(let text)? = answer["detail"] else { throw CancellationError() }
        if let detail { expect(text, equals: detail) }
        expect(!text.isEmpty)
    }

    @Test func `one model and writes have no parameters of their own`() async throws {
        let serving = try await serving()
        try await expect(serving.ask(.get, "/players/a?full_name=x").status, equals: 400)
        try await expect(serving.ask(.patch, "/players/a?x=1", [:]).status, equals: 400)
        try await expect(serving.ask(.get, "/players/a?subclasses=false").status, equals: 200)
    }

    @Test func `a context's form of a field is that of its parameters`() async throws {
        var context = ValueTransformerContext(name: "api", keyCase: .kebab)
        context.transform(Date.self, with: .epochSeconds)
        let serving = try Serving(context: context)
        try await serving.ask(.post, "/players", ["id": "a", "full-name": "A", "joined-at": 100])
        try await expect(serving.ask(.get, "/players?joined-at[gt]=99").identifiers, equals: ["a"])
        try await expect(serving.ask(.get, "/players?joined-at=100").identifiers, equals: ["a"])
        try await expect(serving.ask(.get, "/players?joined-at=x").status, equals: 400)
    }

    @Test func `random filters find what the store finds`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let store = MemoryModelStore()
        let handler = try RESTHandler(store, [Parcel.self, Depot.self])
        let records = store.records
        for number in 1...2 {
            let values: [FieldKey: AttributeValue] = [
                "depotNumber": .int(Int64(number)), "streetName": number == 1 ? nil : "a",
            ]
            let write = RecordWrite(.create(.int(Int64(number)), values), of: Depot.schema)
            _ = try await records.perform([write]).value
        }
        for number in 0..<30 {
            var values = random.parcel().values
            values["id"] = .string("\(number)")
            let write = RecordWrite(.create(.string("\(number)"), values), of: Parcel.schema)
            _ = try await records.perform([write]).value
        }
        let coder = QueryCoder(in: .default)
        for _ in 0..<200 {
            let query = RecordQuery(filter: random.filter(depth: 3), order: random.order())
            let parameters = try coder.parameters(of: query, of: Parcel.schema)
            let named = parameters.map { ($0.name, AttributeValue.string($0.value)) }
            let members = Dictionary(uniqueKeysWithValues: named)
            let text = try ParameterEncoder().encodeParameters(members)
            let response = await handler.handle(HTTPRequest(.get, "/parcels?" + text))
            guard response.status == 200,
                case .dictionary(let page) = try AttributeValue(json: response.body),
                case .array(let items)? = page["items"]
            else {
                // What the store refuses, as a relation through a field that has none.
                await #expect(throws: StoreError.self, "seed \(seed)") {
                    try await records.fetch(query, of: Parcel.schema).value
                }
                continue
            }
            let found = items.map { item -> AttributeValue in
                if case .dictionary(let members) = item { members["id"] ?? .null } else { .null }
            }
            let expected = try await records.fetch(query, of: Parcel.schema).value
                .map(\.identifier.attributeValue)
            expect(found, equals: expected, "\(text), seed \(seed)")
        }
    }

    @Test(arguments: ["", "&sort=-full_name", "&is_active=true&sort=jersey_number,full_name"])
    func `pages go to the end while others insert and delete`(query: String) async throws {
        let serving = try Serving()
        for number in 0..<40 {
            try await serving.ask(
                .post,
                "/players",
                [
                    "id": .string("s\(number)"), "full_name": .string("n\(number * 7 % 40)"),
                    "jersey_number": .int(Int64(number % 5)),
                ]
            )
        }
        var next: String? = "/players?limit=7" + query
        var found: [AttributeValue] = []
        var number = 0
        while let target = next {
            let page = try await serving.ask(.get, target)
            expect(page.status, equals: 200)
            found += page.identifiers
            if case .string(let text)? = page["next"] { next = text } else { next = nil }
            number += 1
            // Before and after every place in the list.
            if number < 6 {
                for name in ["a", "n2", "zz"] {
                    try await serving.ask(
                        .post,
                        "/players",
                        [
                            "id": .string("new\(number)\(name)"), "full_name": .string(name),
                            "jersey_number": .int(Int64(number)),
                        ]
                    )
                }
            }
            expect(number < 100)
        }
        let texts = found.map { if case .string(let id) = $0 { id } else { "?" } }
        expect(Set(texts).count, equals: texts.count, "none comes twice")
        expect(Set(texts).isSuperset(of: (0..<40).map { "s\($0)" }), "none is left out")
    }

    @Test func `a cursor belongs to its query`() async throws {
        let serving = try await serving()
        let first = try await serving.ask(.get, "/players?limit=1&sort=id")
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        let cursor = next.split(separator: "=").last ?? ""
        for query in ["sort=-id", "sort=id&full_name=Ann", ""] {
            let answer = try await serving.ask(.get, "/players?after=\(cursor)&\(query)")
            expect(answer.status == 400 && answer["detail"] == "after: is no cursor of this query")
        }
        try await expect(
            serving.ask(.get, "/players?sort=id&after=\(cursor)").items.count,
            equals: 2
        )
    }

    @Test func `the cursor of a client is taken`() async throws {
        let serving = try await serving()
        let query = RecordQuery(order: [RecordQuery.Order("fullName")], limit: 1)
        let first = try await serving.store.page(Player.self, matching: query).value
        let cursor = first.next?.description ?? ""
        let answer = try await serving.ask(.get, "/players?sort=full_name&after=\(cursor)")
        expect(answer.identifiers, equals: ["b", "c"])
    }

    @Test func `a filter that is nested too deep is refused`() async throws {
        let serving = try await serving()
        let deep =
            String(repeating: "%7B%22not%22:", count: 300) + "3"
            + String(repeating: "}", count: 300)
        try await expect(serving.ask(.get, "/players?filter=\(deep)").status, equals: 400)
    }
}
