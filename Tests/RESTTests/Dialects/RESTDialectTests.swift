import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// A dialect as a user writes one: of a server with JSON:API-like filters, pages and envelopes.
private let shop = RESTDialect(
    name: "the shop",
    query: RESTDialect.query { condition in
        let operators: [RESTCondition.Comparison: String] = [
            .equal: "eq", .greaterOrEqual: "min", .lessOrEqual: "max", .isIn: "any",
        ]
        guard let name = operators[condition.comparison] else { return nil }
        let path = condition.names.joined(separator: ".")
        return .init(name: "filter[\(path)][\(name)]", value: condition.text)
    } order: { orders in
        // It sorts by one field only.
        guard orders.count == 1, let order = orders.first else { return nil }
        return .init(name: "sort", value: (order.isDescending ? "-" : "") + order.names[0])
    },
    pagination: RESTPagination(first: { limit in
        [.init(name: "page[size]", value: String(min(limit ?? 100, 100)))]
    }) { page in
        guard page.count == 100 else { return nil }
        return .parameters([.init(name: "page[number]", value: String(page.number + 1))])
    },
    envelope: RESTEnvelope(list: [.name("data")], model: [.name("data")], payload: [.name("data")]),
    problem: { response in
        guard case .dictionary(let members)? = response.value,
            case .dictionary(let fields)? = members["invalid"]
        else { return RESTProblem.usual(response) }
        let issues = fields.map { name, value in
            Issue(code: "shop", path: [.key(name)], message: "\(value)")
        }
        return RESTProblem(message: "the shop refuses it", issues: issues)
    }
)

private typealias Issue = ModelKitFields.Issue

@Suite struct RESTDialectTests {
    private let snake = ValueTransformerContext(name: "api", keyCase: .snake)

    private func asked(
        _ query: RecordQuery,
        _ dialect: RESTDialect,
        of schema: ModelSchema = Customer.schema
    ) async throws -> String {
        let transport = ClosureTransport { _, _ in .value(.json("[]")) }
        let store = TestAPI(transport, dialect, context: snake)
        _ = try await store.records.fetch(query, of: schema).value
        let query = try #require(transport.sent.all.first).query
        return try ParameterDecoder().parameters(of: query).map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    @Test func `a dialect of a user asks, sends and reads in its own way`() async throws {
        let query = RecordQuery(
            filter: .and([
                .compare("age", .greaterOrEqual, 18),
                .isIn(["homeAddress", "cityName"], ["Rome", "Oslo"]),
            ]),
            order: [RecordQuery.Order("firstName", isDescending: true)],
            limit: 10
        )
        let asked = try await asked(query, shop)
        expect(
            asked,
            equals: "filter[age][min]=18&filter[home_address.city_name][any]=Rome,Oslo"
                + "&sort=-first_name&page[size]=10"
        )
        let transport = ClosureTransport(answers: [
            .json(#"{"data":{"id":"c1","first_name":"Ada"}}"#, 201),
            .json(#"{"invalid":{"first_name":"too long"}}"#, 422),
        ])
        let store = TestAPI(transport, shop, context: snake)
        let customer = try await store.create(Customer("c1", "ada")).value
        expect(customer.firstName.value, equals: "Ada")
        expect(transport.summaries[0].hasPrefix(#"POST /customers {"data":{"first_name""#))
        customer.firstName.value = "Ada Lovelace"
        guard case .validation(let issues)? = await store.update(customer).storeError else {
            Testing.Issue.record("it must be refused")
            return
        }
        expect(issues.map(\.path), equals: [["firstName"]])
        expect(issues.map(\.code), equals: ["shop"])
    }

    @Test func `what a dialect cannot say is refused by its name, and nothing is sent`()
        async throws
    {
        let transport = ClosureTransport { _, _ in .value(.json("[]")) }
        let store = TestAPI(transport, shop)
        for query in [
            RecordQuery(filter: .hasPrefix("firstName", "A")),
            RecordQuery(filter: .or([.isNull("age"), .compare("age", .equal, 1)])),
            RecordQuery(filter: .not(.hasPrefix("firstName", "A"))),
            RecordQuery(filter: .compare("age", .equal, .null)),
            RecordQuery(order: [RecordQuery.Order("age"), RecordQuery.Order("firstName")]),
        ] {
            let error = await store.records.fetch(query, of: Customer.schema).storeError
            expect(error?.code, equals: "unsupported")
            expect(error?.description.hasPrefix("the shop cannot be asked for"), equals: true)
        }
        let plainest = TestAPI(transport, RESTDialect(name: "any server"))
        let query = RecordQuery(filter: .compare("age", .equal, 1))
        let error = await plainest.records.fetch(query, of: Customer.schema).storeError
        expect(error, equals: .unsupported("any server cannot be asked for age equal to 1"))
        expect(transport.sent.count, equals: 0)
    }

    @Test func `Django is asked in the words of its filters`() async throws {
        for (filter, text) in [
            (RecordFilter.compare("firstName", .equal, "Ada & Bob"), "first_name=Ada & Bob"),
            (.compare("age", .less, 3), "age__lt=3"),
            (.not(.compare("age", .less, 3)), "age__gte=3"),
            (.isNull("age"), "age__isnull=true"), (.not(.isNull("age")), "age__isnull=false"),
            (.isIn("age", [1, 2]), "age__in=1,2"),
            (.hasPrefix("firstName", "A"), "first_name__startswith=A"),
            (.hasSuffix("firstName", "a"), "first_name__endswith=a"),
            (.hasSubstring("firstName", "d"), "first_name__contains=d"),
            (
                .compare(["homeAddress", "cityName"], .equal, "Rome"),
                "home_address__city_name=Rome"
            ),
            (.compare("isActive", .equal, true), "is_active=true"),
            (
                .compare("createdAt", .greater, .date(Date(timeIntervalSince1970: 0))),
                "created_at__gt=1970-01-01T00:00:00Z"
            ),
            (.and([.isNull("age"), .and([.compare("age", .equal, 1)])]), "age__isnull=true&age=1"),
        ] {
            try await expect(asked(RecordQuery(filter: filter), .djangoREST), equals: text)
        }
        let related = RecordFilter.has("floor", Floor.schema, .compare("building", .equal, "b"))
        let asked = try await asked(RecordQuery(filter: related), .djangoREST, of: Desk.schema)
        expect(asked, equals: "floor__building=b")
        let known = RecordFilter.has("floor", Floor.schema, .not(.isNull("building")))
        try await expect(
            self.asked(RecordQuery(filter: known), .djangoREST, of: Desk.schema),
            equals: "floor__building__isnull=false"
        )
        let inner = RecordQuery(filter: .isNull(["homeAddress", "cityName"]))
        try await expect(
            self.asked(inner, .djangoREST),
            equals: "home_address__city_name__isnull=true"
        )
        let order = RecordQuery(
            order: [RecordQuery.Order("age", isDescending: true), RecordQuery.Order("firstName")]
        )
        try await expect(self.asked(order, .djangoREST), equals: "ordering=-age,first_name")
        let transport = ClosureTransport { _, _ in .value(.json("[]")) }
        let store = TestAPI(transport, .djangoREST)
        for filter in [
            RecordFilter.compare("age", .notEqual, 1), .isIn("age", []),
            .isIn("firstName", ["a,b"]), .not(.isIn("age", [1])),
            // Parameters without a text are ignored, and blanks around one are taken away.
            .compare("firstName", .equal, ""), .compare("firstName", .equal, " "),
            .compare("firstName", .equal, "\u{A0}a"), .compare("firstName", .less, "a\n"),
            .isIn("firstName", [""]), .isIn("firstName", ["a", "b "]),
            .hasPrefix("firstName", ""), .hasPrefix("firstName", "\u{1F}a"),
            .hasSuffix("firstName", "a "), .hasSubstring("firstName", ""),
        ] {
            let query = RecordQuery(filter: filter)
            let error = await store.records.fetch(query, of: Customer.schema).storeError
            expect(error?.code, equals: "unsupported")
        }
    }

    @Test func `Django is not asked for what it would give more of`() async throws {
        let transport = ClosureTransport { _, _ in .value(.json("[]")) }
        let store = TestAPI(transport, .djangoREST)
        // Those without a floor, or without desks, would come, too.
        for (filter, schema) in [
            (RecordFilter.has("floor", Floor.schema, .isNull("building")), Desk.schema),
            (.hasAny("desks", Desk.schema, .isNull("label")), Floor.schema),
            (.has("floor", Floor.schema, .not(.not(.isNull("building")))), Desk.schema),
        ] {
            let error = await store.records.fetch(RecordQuery(filter: filter), of: schema)
                .storeError
            expect(error?.code, equals: "unsupported")
        }
        expect(transport.sent.count, equals: 0)
    }

    @Test func `models are counted where the dialect says how, and nothing is fetched elsewhere`()
        async throws
    {
        var counting = shop
        counting.countPath = ["meta", "total"]
        let transport = ClosureTransport { request, _ in
            let plain = request.query.contains("_count=true")
            return .value(.json(#"{"count":\#(plain ? 7 : 8),"meta":{"total":9},"items":[]}"#))
        }
        for (dialect, count, query) in [
            (.plain, 7, "filter=%7B%22ge%22%3A%5B%22age%22%2C18%5D%7D&limit=0&_count=true"),
            (.djangoREST, 8, "age__gte=18"),
            (counting, 9, "filter%5Bage%5D%5Bmin%5D=18&page%5Bsize%5D=1"),
        ] as [(RESTDialect, Int, String)] {
            let store = TestAPI(transport, dialect, context: snake)
            try await expect(store.count(Customer.self, where: \.age >= 18).value, equals: count)
            expect(transport.sent.all.last?.query, equals: query)
        }
        let sent = transport.sent.all.count
        let store = TestAPI(transport, .plain, context: snake)
        let refused = await #expect(throws: StoreError.self) {
            try await store.sum(Customer.self, of: \.age).value
        }
        let text = "the plain dialect cannot be asked for the sum of age of Customer"
        expect(refused, equals: .unsupported(text))
        await #expect(
            throws: StoreError.unsupported("the shop cannot be asked for the count of Customer")
        ) {
            try await TestAPI(transport, shop, context: snake).count(Customer.self).value
        }
        expect(transport.sent.all.count, equals: sent)
        counting.countPath = ["items"]
        await #expect(throws: StoreError.self) {
            try await TestAPI(transport, counting, context: snake).count(Customer.self).value
        }
    }

    @Test(arguments: [
        ("0", 0), ("9007199254740992", 1 << 53), ("9007199254740993", nil),
        ("9223372036854775807", nil), ("1e300", nil), ("-1", nil), ("1.5", nil), ("null", nil),
        (#""7""#, nil),
    ])
    func `an answer is no count unless it is a whole number`(
        _ text: String,
        _ count: Int?
    ) async throws {
        let transport = ClosureTransport { _, _ in .value(.json(#"{"count":\#(text),"items":[]}"#))
        }
        let store = TestAPI(transport, .plain, context: snake)
        let answer: Promise<Int> = store.count(Customer.self)
        if let count {
            try await expect(answer.value, equals: count)
        } else {
            await expect(answer.storeError?.description.contains("no number") == true)
        }
    }

    @Test func `values are asked for as the context writes them`() async throws {
        var context = ValueTransformerContext(name: "seconds", keyCase: .snake)
        context.transform(Date.self, with: .epochSeconds)
        let transport = ClosureTransport { _, _ in .value(.json("[]")) }
        let store = TestAPI(transport, .djangoREST, context: context)
        let since = AttributeValue.date(Date(timeIntervalSince1970: 60))
        let query = RecordQuery(filter: .compare("createdAt", .greater, since))
        _ = try await store.records.fetch(query, of: Customer.schema).value
        expect(transport.sent.all[0].target, equals: "/customers?created_at__gt=60")
    }

    @Test func `the plain dialect says every query`() async throws {
        let query = RecordQuery(
            filter: .or([.isNull("age"), .not(.hasPrefix("firstName", "A"))]),
            order: [RecordQuery.Order(["homeAddress", "cityName"])],
            limit: 5
        )
        let asked = try await asked(query, .plain)
        expect(
            asked,
            equals: #"filter={"or":[{"null":["age"]},{"not":{"prefix":["first_name","A"]}}]}"#
                + "&limit=5&sort=home_address.city_name"
        )
    }

    @Test func `models and lists are found in what is around them`() async throws {
        for (envelope, model, list) in [
            (RESTEnvelope.bare, #"{"id":"c1"}"#, #"[{"id":"c1"}]"#),
            (.list("results"), #"{"id":"c1"}"#, #"{"results":[{"id":"c1"}]}"#),
            (.key("data"), #"{"data":{"id":"c1"}}"#, #"{"data":[{"id":"c1"}]}"#),
            (.typeName, #"{"customer":{"id":"c1"}}"#, #"{"customers":[{"id":"c1"}]}"#),
            (
                RESTEnvelope(list: [.name("page"), .name("rows")], model: [.name("row")]),
                #"{"row":{"id":"c1"}}"#, #"{"page":{"rows":[{"id":"c1"}]}}"#
            ),
            (.list("results"), #"{"id":"c1"}"#, #"[{"id":"c1"}]"#),
        ] {
            let transport = ClosureTransport { request, _ in
                .value(.json(request.target == "/customers" ? list : model))
            }
            let store = TestAPI(transport, RESTDialect(name: "any", envelope: envelope))
            let found = try await store.list(Customer.self).value
            expect(found.map(\.id.value), equals: ["c1"])
            let same = try await store.lookup(Customer.self, identifier: "c1").value
            expect(same === found[0])
        }
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 201)) }
        let store = TestAPI(transport, RESTDialect(name: "any", envelope: .typeName))
        _ = try await store.create(Customer("c1")).value
        expect(
            transport.summaries,
            equals: [#"POST /customers {"customer":{"id":"c1","isActive":true}}"#]
        )
    }

    @Test(arguments: [
        ("<https://a.example/x?p=2>; rel=\"next\"", "https://a.example/x?p=2"),
        ("</x>; rel=next", "/x"), ("</y>; rel=prev, </x>; rel=next", "/x"),
        (
            "</y>; rel=\"prev\"; title=\"a, <b>; rel=next\", </x>; title=\"\\\"\"; rel=\"next\"",
            "/x"
        ),
        ("</x>; REL = \"first NEXT\"", "/x"), ("</x>", nil), ("", nil), ("</x", nil),
        ("</y>; rel=prev; rel=next", nil), ("/x; rel=next", nil), ("</x>;;rel=next", "/x"),
    ])
    func `links are read as RFC 8288 has them`(_ field: String, _ target: String?) {
        expect(HTTPHeaders([("Link", field)]).link(to: "next"), equals: target)
    }
}

extension HTTPHeaders {
    fileprivate init(_ fields: [(String, String)]) {
        self.init()
        for (name, value) in fields { add(name, value) }
    }
}
