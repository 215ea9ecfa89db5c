import ModelKitFields
import ModelKitModels
import ModelKitREST
import TestSupport
import Testing

@Suite struct NestedRouteTests {
    let router = RESTRouter()

    @Test func `a model stands in the path of its owner`() throws {
        let employee = employee(45, of: company(10, "north/west"))
        try expect(router.instancePath(for: employee), equals: "/companies/10/employees/45")
        try expect(router.collectionPath(for: employee), equals: "/companies/10/employees")
        try expect(router.path(to: employee), equals: "/employees/45")
        expect(router.collectionPath(for: Employee.self), equals: "/employees")
    }

    @Test(arguments: [
        (0, "/employees/45"), (1, "/companies/10/employees/45"),
        (2, "/regions/north%2Fwest/companies/10/employees/45"),
        (9, "/regions/north%2Fwest/companies/10/employees/45"), (-1, "/employees/45"),
    ])
    func `the path has as many owners as it may`(depth: Int, path: String) throws {
        let employee = employee(45, of: company(10, "north/west"))
        try expect(router.instancePath(for: employee, maxDepth: depth), equals: path)
        try expect(RESTRouter(maxPathDepth: depth).instancePath(for: employee), equals: path)
    }

    @Test func `without an owner the path is flat`() throws {
        try expect(router.instancePath(for: employee(45, of: nil)), equals: "/employees/45")
        try expect(
            router.instancePath(for: employee(45, of: company(nil))),
            equals: "/employees/45"
        )
    }

    @Test func `an owner with an empty identifier is refused`() {
        #expect(throws: RouteError.emptyIdentifier(type: "Region")) {
            try router.instancePath(for: company(10, ""))
        }
    }

    @Test func `an owner that has no field for it has the collection`() throws {
        let note = Note()
        note.id.value = "n"
        note.author.value = employee(45, of: company(10))
        try expect(router.instancePath(for: note), equals: "/employees/45/notes/n")
        try expect(
            router.instancePath(for: note, maxDepth: 2),
            equals: "/companies/10/employees/45/notes/n"
        )
    }

    @Test func `owners that have each other come once`() throws {
        let (one, other) = (Folder(), Folder())
        (one.id.value, other.id.value) = ("1", "2")
        one.parent.value = other
        other.parent.value = one
        try expect(router.instancePath(for: one, maxDepth: .max), equals: "/folders/2/folders/1")
    }

    @Test func `the models in a field are below its model`() throws {
        let company = company(10, "n")
        let employee = employee(45, of: company)
        try expect(router.path(to: company.employees), equals: "/companies/10/employees")
        try expect(
            router.path(to: employee, in: company.employees),
            equals: "/companies/10/employees/45"
        )
        try expect(
            router.path(to: company.employees, maxDepth: 1),
            equals: "/regions/n/companies/10/employees"
        )
        try expect(
            router.path(to: company.formerEmployees, of: company),
            equals: "/companies/10/former_employees"
        )
        #expect(throws: RouteError.noField(type: "Employee")) {
            try router.path(to: company.formerEmployees)
        }
        #expect(throws: RouteError.noField(type: "Employee")) {
            try router.path(to: company.formerEmployees, of: employee)
        }
    }

    @Test func `there is one model of a type for each owner`() throws {
        var router = router
        router.route(Note.self, toSingleton: "note")
        let note = Note()
        note.author.value = employee(45, of: nil)
        try expect(router.instancePath(for: note), equals: "/employees/45/note")
        router.route(Employee.self, toSingleton: "me")
        try expect(router.instancePath(for: note), equals: "/me/note")
    }

    @Test func `an owner's field for one model is a segment like any other`() throws {
        let badge = Badge()
        badge.id.value = "b"
        badge.holder.value = Holder()
        badge.holder.value?.id.value = 7
        try expect(router.instancePath(for: badge), equals: "/holders/7/badge/b")
        var only = router
        only.route(Badge.self, toSingleton: "badge")
        try expect(only.instancePath(for: badge), equals: "/holders/7/badge")
        let route = Route(Badge.schema, of: [Route.Owner(Holder.schema, 7, field: "badge")])
        expect(
            RouteTable(only, [Holder.self, Badge.self]).match("/holders/7/badge"),
            equals: route
        )
    }

    @Test func `each name of a key is a segment`() throws {
        let badge = Badge()
        badge.id.value = "b"
        let path = "/badges/b/on_it/stickers"
        try expect(router.path(to: badge.stickers, of: badge), equals: path)
        let owner = Route.Owner(Badge.schema, "b", field: ["on it", "Stickers"])
        let table = RouteTable(router, [Badge.self, Person.self])
        expect(table.match(path), equals: Route(Person.schema, of: [owner]))
        expect(table.match("/badges/b/on_it"), equals: nil)
    }

    @Test func `an owner in a route needs an identifier`() {
        #expect(throws: RouteError.noIdentifier(type: "Company")) {
            try router.path(of: Route(Employee.schema, of: [Route.Owner(Company.schema, nil)]))
        }
    }
}
