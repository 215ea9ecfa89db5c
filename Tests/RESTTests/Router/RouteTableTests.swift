import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitTesting
import TestSupport
import Testing

@Suite struct RouteTableTests {
    let router = RESTRouter(maxPathDepth: 3)
    let types: [any Model.Type] = [
        Region.self, Company.self, Employee.self, Note.self, Person.self, NewsItem.self,
        Folder.self,
    ]

    @Test func `a path leads back to its route`() {
        let table = RouteTable(router, types)
        expect(table.match("/people"), equals: Route(Person.schema))
        expect(table.match("/people/"), equals: Route(Person.schema))
        expect(table.match("/people/7?x=/y"), equals: Route(Person.schema, "7"))
        let company = Route.Owner(Company.schema, 10, field: "employees")
        expect(
            table.match("/companies/10/employees/45"),
            equals: Route(Employee.schema, 45, of: [company])
        )
        expect(
            table.match("/companies/10/employees/?a"),
            equals: Route(Employee.schema, of: [company])
        )
        let former = Route.Owner(Company.schema, 10, field: "formerEmployees")
        expect(
            table.match("/companies/10/former_employees"),
            equals: Route(Employee.schema, of: [former])
        )
    }

    @Test(arguments: [
        "", "people", "/", "//people", "/people//", "/people//7", "/nothing", "/people/7/8",
        "/people/7/people", "/people/%2", "/people/%zz", "/people/%", "/people/%FF",
        "/people/%C0%AF", "/people/%ED%A0%80", "/people/é", "/people/a b", "/people/a#b",
        "/people/..", "/people/.", "/people/../people", "/companies/..", "/people/a\"b",
        "/companies/x", "/companies/07", "/companies/+7", "/companies/99999999999999999999", "?",
        "/companies/1/region", "/companies/1/employees/2/company", "*", "http://x/people",
        "/folders/1/folders/2/folders/3/folders/4/folders",
    ])
    func `what is no path of the table leads nowhere`(target: String) {
        expect(RouteTable(router, types).match(target), equals: nil)
    }

    @Test func `as many owners are taken as the router makes`() {
        let table = RouteTable(router, types)
        let deepest = "/folders/1/folders/2/folders/3/folders/4"
        expect(table.match(deepest)?.owners.count, equals: 3)
        expect(
            RouteTable(RESTRouter(maxPathDepth: 0), types).match("/companies/1/employees"),
            equals: nil
        )
    }

    @Test func `an identifier of either kind is a number where it is written like one`() {
        let table = RouteTable(router, types)
        expect(table.match("/news_items/7"), equals: Route(NewsItem.schema, 7))
        expect(table.match("/news_items/-7"), equals: Route(NewsItem.schema, -7))
        expect(table.match("/news_items/07"), equals: Route(NewsItem.schema, "07"))
        expect(table.match("/people/7"), equals: Route(Person.schema, "7"))
    }

    @Test func `routed paths come before identifiers, and the first type before others`() {
        var router = router
        router.route(NewsItem.self, to: "people/news")
        router.route(Note.self, to: "people")
        let table = RouteTable(router, types)
        expect(table.match("/people/news"), equals: Route(NewsItem.schema))
        expect(table.match("/people/news/1"), equals: Route(NewsItem.schema, 1))
        expect(table.match("/people/new"), equals: Route(Note.schema, "new"))
    }

    @Test func `there is something below the only model of a type`() {
        var router = router
        router.prefix = "api"
        router.route(Employee.self, toSingleton: "me")
        router.identify(Note.self, by: "slug")
        let table = RouteTable(router, types)
        expect(table.match("/api/me"), equals: Route(Employee.schema))
        let owner = Route.Owner(Employee.schema, nil, field: "notes")
        expect(table.match("/api/me/notes/a"), equals: Route(Note.schema, "a", of: [owner]))
        expect(table.match("/api/me/7"), equals: nil)
        expect(table.match("/me"), equals: nil)
        let company = Route.Owner(Company.schema, 1, field: "employees")
        let nested = Route.Owner(Employee.schema, nil, field: "notes")
        expect(
            table.match("/api/companies/1/employees/notes"),
            equals: Route(Note.schema, of: [company, nested])
        )
    }

    @Test func `a path has the suffix of the router once`() {
        var router = router
        router.suffix = ".json"
        router.route(Note.self, toSingleton: "note")
        router.route(NewsItem.self, to: "")
        let table = RouteTable(router, types)
        expect(table.match("/people.json"), equals: Route(Person.schema))
        expect(table.match("/people/7.json/?x=/y"), equals: Route(Person.schema, "7"))
        expect(table.match("/people/7%2Ejson"), equals: Route(Person.schema, "7"))
        expect(table.match("/people/7.json.json"), equals: Route(Person.schema, "7.json"))
        expect(table.match("/people/%2E%2E.json"), equals: Route(Person.schema, ".."))
        let company = Route.Owner(Company.schema, 10, field: "employees")
        expect(
            table.match("/companies/10/employees.json"),
            equals: Route(Employee.schema, of: [company])
        )
        expect(table.match("/note.json"), equals: Route(Note.schema))
        expect(table.match("/.json"), equals: Route(NewsItem.schema))
        expect(table.match("/3.json"), equals: Route(NewsItem.schema, 3))
        for path in [
            "/", "/people", "/people/7", "/people.json/7", "/people/.json", "/people/7.jso",
            "/people/7.JSON", "/people/7/.json", "/people.json/.json", "/.json/.json",
        ] {
            expect(table.match(path), equals: nil, "\(path)")
        }
    }

    @Test(arguments: ["", ".json", "%/é"])
    func `every route that has a path is what it leads to`(_ suffix: String) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        var router = router
        router.suffix = suffix
        let table = RouteTable(router, types)
        for step in 0..<2_000 {
            let route = random.route(depth: random.pick([0, 1, 2, 3]))
            let path = try router.path(of: route)
            expect(table.match(path), equals: route, "seed \(seed), step \(step): \(path)")
            expect(table.match(path + "/?a=b"), equals: route, "seed \(seed), step \(step)")
            expect(
                path.utf8.allSatisfy {
                    $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "/") || $0.isPlain
                },
                "seed \(seed), step \(step): \(path)"
            )
        }
    }

    @Test func `no bytes are too much for it`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let table = RouteTable(router, types)
        let parts = [
            "/", "people", "companies", "1", "employees", "%", "2F", "..", "%2e", "?", "é", "",
        ]
        for _ in 0..<5_000 {
            let path = (0..<random.pick(Array(0..<12))).map { _ in random.pick(parts) }.joined()
            guard let route = table.match("/" + path) else { continue }
            #expect(throws: Never.self, "seed \(seed): \(path)") { try router.path(of: route) }
        }
        expect(table.match(String(repeating: "/people", count: 100_000)), equals: nil)
        expect(table.match("/people/" + String(repeating: "%41", count: 100_000)) != nil)
    }
}

extension UInt8 {
    fileprivate var isPlain: Bool {
        Character(UnicodeScalar(self)).isLetter || Character(UnicodeScalar(self)).isNumber
            || "-._~".utf8.contains(self)
    }
}

extension SplitMix {
    fileprivate mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "0", "/", ".", "%", "?", "#", "+", " ", "&", "=", ";", "\\", "\0", "\n", "é",
            "e", "\u{301}", "😀", "\u{10FFFF}", "\u{FFFD}", "2", "F", "[", "\u{FEFF}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0...pick(Array(0..<6)) { text.append(pick(scalars)) }
        return String(text)
    }

    /// A route through the folders, or from a region down to an employee.
    fileprivate mutating func route(depth: Int) -> Route {
        let number = Identifier.int(Int64(truncatingIfNeeded: next()))
        if pick([true, false]) {
            let owners = (0..<depth).map { _ in
                Route.Owner(Folder.schema, .string(text()), field: "folders")
            }
            return Route(Folder.schema, pick([nil, .string(text())]), of: owners)
        }
        let region = Route.Owner(Region.schema, .string(text()), field: "companies")
        let company = Route.Owner(Company.schema, number, field: "employees")
        switch depth {
        case 0: return Route(Person.schema, .string(text()))
        case 1: return Route(Company.schema, pick([nil, number]), of: [region])
        default: return Route(Employee.schema, pick([nil, 7]), of: [region, company])
        }
    }
}
