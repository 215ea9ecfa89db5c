import ModelKit
import Observation
import Testing

#if canImport(SwiftUI)
import SwiftUI
#endif

@Suite struct ObservingModels {
    @Test func `the examples of the article run`() async {
        let log = Log<String>()

        let company = Company()
        let ada = Employee()
        company.employees.append(ada)
        company.observe("employees.*.name") { change in
            log.add("\(change.path): \(change.field.anyValue ?? "none")")
        }
        ada.name.value = "Ada"
        print(log.entries)  // ["employees[0].name: Ada"]
        #expect(log.entries == ["employees[0].name: Ada"])

        company.observe(["employees", .each, "name"]) { change in print(change.path) }
        company.observe(\.employees, \.name) { change in print(change.path) }
        company.observe { change in print(change.path) }

        company.observe("employees") { change in
            if case .models(let entered, let left) = change.kind {
                log.add("\(change.path): \(entered.count) entered, \(left.count) left")
            }
        }
        company.employees.append(Employee())
        print(log.entries.last ?? "")  // employees: 1 entered, 0 left
        #expect(log.entries.last == "employees: 1 entered, 0 left")

        let screen = Screen()
        company.observe("employees.*.name", by: screen) { screen, change in
            screen.reload(change.path)
        }
        let scoped = company.observe("name") { change in print(change.path) }.scoped()
        #expect(!scoped.observation.isCancelled)

        company.onMain.observe("employees.*.name", by: screen) { screen, change in
            screen.reload(change.path)
        }

        var changes = company.changes(of: "employees.*.name").makeAsyncIterator()
        ada.name.value = "Ada Lovelace"
        print(await changes.next()?.path as Any)  // employees[0].name
        #expect(screen.shown.entries.first == "employees[0].name")

        withObservationTracking {
            for employee in company.employees.observed ?? [] { print(employee.name.observed ?? "") }
        } onChange: {
            print("another name, or another employee")
        }
    }
}

private final class Company: Model {
    let name = Field<String>()
    let employees = ModelField<Employee>()*
}

private final class Employee: Model {
    let name = Field<String>()
}

private final class Screen: Sendable {
    let shown = Log<String>()

    func reload(_ path: FieldPath) { shown.add(path.description) }
}

#if canImport(SwiftUI)
private enum Views {
    struct NameForm: View {
        let employee: Employee

        var body: some View {
            TextField("Name", text: Bindable(employee.name).text)
            if let issue = employee.name.observedValidationStatus.issues.first {
                Text(issue.description)
            }
        }
    }
}
#endif

extension ObservingModels {
    @Test @MainActor func `the changes of a whole model are a sequence`() async {
        let log = Log<String>()
        let company = Company()

        var all = company.changes.makeAsyncIterator()
        company.name.value = "Acme"
        print(await all.next()?.path as Any)  // name

        company.onMain.observe("name") { change in log.add("\(change.path)") }

        company.name.value = "Acme & Sons"
        #expect(await all.next()?.path == ["name"])
        #expect(log.entries == ["name"])
    }
}
