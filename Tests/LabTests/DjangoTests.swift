import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// A store of models over Django REST framework, as anybody would use it.
@Suite(.enabled(if: Lab.isOpen)) struct DjangoTests {
    private let run = Run()

    @Test(arguments: ["app", "nginx", "faults"])
    func `models are made, changed, found and deleted`(place: String) async throws {
        let origins = ["app": Lab.app, "nginx": Lab.nginx, "faults": Lab.faults]
        let store = LabStore(run, try #require(origins[place]))
        let company = try await store.create(Company(run.name, city: "Rome")).value
        let identifier = try #require(company.id.value)
        expect(company.slug.value, equals: run.name)
        try expect(#require(company.createdAt.value).timeIntervalSinceNow < 60)
        try await expect(run.rows("companies"), equals: 1)

        company.city.value = nil
        _ = try await store.update(company).value
        company.city.value = "Oslo"
        _ = try await store.update(company).value
        _ = try await store.update(company).value
        try await expect(run.arrived(.patch), equals: 2)

        let other = LabStore(run, try #require(origins[place]))
        let found = try await other.lookup(Company.self, identifier: identifier).value
        expect(found !== company)
        expect(found.city.value, equals: "Oslo")
        expect(found.name.value, equals: run.name)
        expect(found.createdAt.value, equals: company.createdAt.value)

        _ = try await store.delete(company).value
        try await expect(run.rows("companies"), equals: 0)
        let error = await other.lookup(Company.self, identifier: identifier).storeError
        expect(
            error,
            equals: .notFound(type: Company.modelName, identifier: .int(Int64(identifier)))
        )
    }

    @Test func `models of an owner are in its path`() async throws {
        let store = LabStore(run)
        let company = try await store.create(Company(run.name)).value
        let other = try await store.create(Company("other \(run.name)".prefix(40).description))
            .value
        let ada = try await store.create(Employee(run.name, of: company)).value
        _ = try await store.create(Employee("Bob", of: company)).value
        _ = try await store.create(Employee("Eve", of: other)).value
        expect(ada.id.value != nil)

        ada.age.value = 36
        _ = try await store.update(ada).value
        let second = LabStore(run)
        let found = try await second.lookup(Company.self, identifier: company.id.value ?? 0).value
        let employees = try await second.list(found.employees).value
        expect(employees.map(\.fullName.value), equals: [run.name, "Bob"])
        expect(employees.map(\.age.value), equals: [36, nil])
        expect(employees.allSatisfy { $0.company.value === found })

        _ = try await store.delete(ada).value
        try await expect(run.rows("employees"), equals: 0)
        try await expect(second.list(found.employees).value.map(\.fullName.value), equals: ["Bob"])
        let nobody = Company()
        nobody.id.value = 1_000_000_000
        let error = await store.create(Employee("Joe", of: nobody)).storeError
        expect(error != nil)
    }

    @Test(arguments: ["pages", "cursors", "offsets"])
    func `lists come in parts, of which none is lost`(pagination: String) async throws {
        let store =
            switch pagination {
            case "cursors":
                LabStore(run, "\(Lab.nginx)/cursor", pagination: .next(size: "page_size"))
            case "offsets":
                LabStore(run, "\(Lab.nginx)/offset", pagination: .offset(total: ["count"]))
            default: LabStore(run, Lab.nginx, pagination: .next())
            }
        let city = String(run.name.prefix(40))
        for number in 0..<12 {
            _ = try await store.create(Company("\(number) \(run.name)", city: city)).value
        }
        let all = try await store.list(Company.self, where: \.city == city).value
        expect(all.map(\.name.value), equals: (0..<12).map { "\($0) \(run.name)" })
        let some = try await store.list(Company.self, where: \.city == city, limit: 7).value
        expect(some.map(\.id.value), equals: all.prefix(7).map(\.id.value))
        let none = try await store.list(Company.self, where: \.city == "\(city)x").value
        expect(none.isEmpty)
    }

    @Test func `conditions and orders are the application's`() async throws {
        let store = LabStore(run)
        let company = try await store.create(Company(run.name)).value
        for age in [18, 30, nil, 42] {
            let employee = Employee("\(age ?? 0) \(run.name)".prefix(40).description, of: company)
            employee.age.value = age
            _ = try await store.create(employee).value
        }
        let grown = try await store.list(
            Employee.self,
            where: \.age >= 18 && \.age < 42 && \.company == company,
            orderBy: .descending(\.age)
        ).value
        expect(grown.map(\.age.value), equals: [30, 18])
        let unknown = try await store.list(
            Employee.self,
            where: \.age == nil && \.company == company
        ).value
        expect(unknown.count, equals: 1)
        let two = [run.name, "nobody"]
        let named = try await store.list(Company.self, where: .isIn(\.name, two)).value
        expect(named.map(\.name.value), equals: [run.name])
        let error = await store.list(Company.self, where: \.city == "A" || \.city == "B").storeError
        guard case .unsupported(let text)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        expect(text.contains("Django REST framework"))
    }

    @Test func `what the application refuses is reported at the fields`() async throws {
        let store = LabStore(run)
        let company = try await store.create(Company(run.name)).value
        let employee = Employee("", of: company)
        employee.age.value = 7
        employee.email.value = "nowhere"
        let issues = try #require(await store.create(employee).storeError?.issues)
        expect(
            issues.map(\.path.description).sorted(),
            equals: ["age", "email", "fullName"],
            "\(issues)"
        )
        let whole = await store.create(Employee("Nobody", of: company)).storeError
        expect(whole?.issues.map(\.path), equals: [[]])
        expect(whole?.issues.map(\.message), equals: ["nobody works here"])
        let twin = await store.create(Company(run.name)).storeError
        expect(twin?.issues.map(\.path.description), equals: ["name"])
        expect(twin?.outcome, equals: .notApplied)
        expect(store.failures.all.last, equals: twin)
        try await expect(run.rows("companies"), equals: 1)

        let good = try await store.create(Employee(run.name, of: company)).value
        good.age.value = 700
        let late = await store.update(good).storeError
        expect(late?.issues.map(\.path.description), equals: ["age"])
        good.age.value = 70
        _ = try await store.update(good).value
    }

    @Test(arguments: ["..", "a/b", "é", "a?b#c", ".", "a b+c%2F&d=e"])
    func `an identifier reaches the application as one segment`(text: String) async throws {
        let store = LabStore(run)
        let others = LabStore(run)
        for name in [text, "\(text) \(run.name)"] {
            // Another run may have made it.
            _ = await store.create(Tag(name)).storeError
            let tag = try await others.lookup(Tag.self, identifier: name).value
            expect(tag.id.value, equals: name)
            tag.note.value = run.name
            _ = try await others.update(tag).value
        }
        let tag = try await others.lookup(Tag.self, identifier: "\(text) \(run.name)").value
        _ = try await others.delete(tag).value
        let error = await others.lookup(Tag.self, identifier: "\(text) \(run.name)").storeError
        guard case .notFound? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test func `an empty identifier is refused, and nothing is sent`() async throws {
        let store = LabStore(run)
        await expect(store.lookup(Tag.self, identifier: "").storeError != nil)
        try await expect(run.arrived(.get), equals: 0)
    }
}
