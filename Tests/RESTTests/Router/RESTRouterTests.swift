import ModelKitFields
import ModelKitModels
import ModelKitREST
import TestSupport
import Testing

@Suite struct RESTRouterTests {
    let router = RESTRouter()

    @Test func `a collection is called like its type, in the plural`() {
        expect(router.collectionPath(for: Person.self), equals: "/people")
        expect(router.collectionPath(for: NewsItem.self), equals: "/news_items")
        expect(router.path(to: Company.self), equals: "/companies")
    }

    @Test func `names are cased and put in the plural as it is wanted`() throws {
        var router = router
        router.nameCase = .kebab
        expect(router.collectionPath(for: NewsItem.self), equals: "/news-items")
        let company = company(10)
        try expect(
            router.path(to: company.formerEmployees, of: company),
            equals: "/companies/10/former-employees"
        )
        router.nameCase = .lowerCamel
        expect(router.collectionPath(for: NewsItem.self), equals: "/newsItems")
        router.pluralizesCollections = false
        expect(router.collectionPath(for: NewsItem.self), equals: "/newsItem")
    }

    @Test func `a type is routed to another path and back`() throws {
        var router = router
        router.route(Person.self, to: "staff/all members")
        expect(router.collectionPath(for: Person.self), equals: "/staff/all%20members")
        try expect(router.instancePath(for: person("7")), equals: "/staff/all%20members/7")
        router.unroute(Person.self)
        expect(router.collectionPath(for: Person.self), equals: "/people")
    }

    @Test func `a copy that is changed changes no other`() {
        var copy = router
        _ = router.collectionPath(for: Person.self)
        copy.route(Person.self, to: "staff")
        expect(copy.collectionPath(for: Person.self), equals: "/staff")
        expect(router.collectionPath(for: Person.self), equals: "/people")
    }

    @Test func `threads share a router`() async throws {
        let router = router
        let paths = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask {
                    var own = router
                    if number.isMultiple(of: 10) { own.route(Company.self, to: "firms") }
                    return try own.instancePath(for: employee(number, of: company(10)))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expect(paths.filter { $0.hasPrefix("/firms/10/employees/") }.count, equals: 10)
        expect(paths.filter { $0.hasPrefix("/companies/10/employees/") }.count, equals: 90)
    }

    @Test func `a model without an identifier has no path`() {
        #expect(throws: RouteError.noIdentifier(type: "Person")) {
            try router.instancePath(for: person(nil))
        }
        #expect(throws: RouteError.emptyIdentifier(type: "Person")) {
            try router.instancePath(for: person(""))
        }
        expect("\(RouteError.noIdentifier(type: "Person"))", equals: "Person has no identifier")
    }

    @Test(arguments: [
        ("a/b", "a%2Fb"), ("..", "%2E%2E"), (".", "%2E"), ("...", "..."), ("é", "%C3%A9"),
        ("a?b#c", "a%3Fb%23c"), ("%2F", "%252F"), ("a+b c", "a%2Bb%20c"), ("a;b=c", "a%3Bb%3Dc"),
        ("\u{0}\n", "%00%0A"), ("😀", "%F0%9F%98%80"), ("a-._~9Z", "a-._~9Z"), ("\\", "%5C"),
    ])
    func `an identifier is one segment`(identifier: String, segment: String) throws {
        try expect(router.instancePath(for: person(identifier)), equals: "/people/" + segment)
        let table = RouteTable(router, [Person.self])
        expect(table.match("/people/" + segment), equals: Route(Person.schema, .string(identifier)))
    }

    @Test func `paths begin with a prefix and end with a slash`() throws {
        var router = router
        router.prefix = "/api/v 1/"
        router.hasTrailingSlash = true
        expect(router.collectionPath(for: Person.self), equals: "/api/v%201/people/")
        try expect(router.instancePath(for: person("7")), equals: "/api/v%201/people/7/")
        try expect(
            router.instancePath(for: employee(45, of: company(10))),
            equals: "/api/v%201/companies/10/employees/45/"
        )
    }

    @Test func `paths end with a suffix, and with a slash where it is asked for`() throws {
        var router = router
        router.suffix = ".json"
        expect(router.collectionPath(for: Person.self), equals: "/people.json")
        try expect(router.instancePath(for: person("7")), equals: "/people/7.json")
        try expect(router.instancePath(for: person("a.json")), equals: "/people/a.json.json")
        try expect(router.instancePath(for: person("..")), equals: "/people/%2E%2E.json")
        let company = company(10)
        try expect(
            router.instancePath(for: employee(45, of: company)),
            equals: "/companies/10/employees/45.json"
        )
        try expect(router.path(to: company.employees), equals: "/companies/10/employees.json")
        router.route(NewsItem.self, to: "")
        expect(router.collectionPath(for: NewsItem.self), equals: "/.json")
        router.hasTrailingSlash = true
        try expect(router.instancePath(for: person("7")), equals: "/people/7.json/")
        router.route(Person.self, toSingleton: "me")
        try expect(router.instancePath(for: person("7")), equals: "/me.json/")
    }

    @Test func `a field stands for the identifier`() throws {
        var router = router
        router.identify(Note.self, by: "slug")
        expect(router.identifierKey(of: Note.schema), equals: "slug")
        let note = Note()
        note.id.value = "1"
        #expect(throws: RouteError.noIdentifier(type: "Note")) {
            try router.instancePath(for: note)
        }
        note.slug.value = "how to begin"
        try expect(router.instancePath(for: note), equals: "/notes/how%20to%20begin")
        router.identify(Note.self, by: nil)
        try expect(router.instancePath(for: note), equals: "/notes/1")
    }

    @Test func `the only model of a type needs no identifier`() throws {
        var router = router
        router.route(Person.self, toSingleton: "me")
        try expect(router.instancePath(for: person(nil)), equals: "/me")
        try expect(router.instancePath(for: person("7")), equals: "/me")
        expect(router.isSingleton(Person.schema))
        router.route(Person.self, to: "people")
        expect(!router.isSingleton(Person.schema))
    }

    @Test(arguments: [
        ("company", "companies"), ("day", "days"), ("address", "addresses"),
        ("status", "statuses"), ("box", "boxes"), ("branch", "branches"), ("dish", "dishes"),
        ("analysis", "analyses"), ("axis", "axes"), ("settings", "settings"), ("bus", "buses"),
        ("child", "children"), ("grandchild", "grandchildren"), ("salesperson", "salespeople"),
        ("woman", "women"), ("human", "humans"), ("specimen", "specimens"), ("people", "people"),
        ("index", "indices"), ("indices", "indices"), ("equipment", "equipment"), ("news", "news"),
        ("hero", "heroes"), ("photo", "photos"), ("soliloquy", "soliloquies"), ("quiz", "quizzes"),
        ("leaf", "leaves"), ("month", "months"), ("staff", "staff"), ("y", "ies"), ("", ""),
        ("café", "cafés"), ("criterion", "criteria"), ("mouse", "mice"), ("url", "urls"),
    ])
    func `plurals are those of English`(noun: String, plural: String) {
        expect(EnglishPlural.of(noun), equals: plural)
    }
}
