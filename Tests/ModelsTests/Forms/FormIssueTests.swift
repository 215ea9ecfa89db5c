import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// Which of its issues a form shows, and in which order.
@Suite struct FormIssueTests {
    @Test func `what others said is shown before the first submit, and not what rules found`() {
        let name = Field<String>(name: "Name").require(.minLength(3))
        name.value = "Al"
        let form = Form(["name": name])
        form.validate()
        expect(form.visibleIssues.isEmpty)
        name.addValidationError(Issue(message: "is rare", severity: .warning))
        expect(form.issues.count, equals: 2)
        expect(form.visibleIssues.map(\.description), equals: ["Name is rare"])
        form.touch(name)
        expect(form.visibleIssues.count, equals: 2)
    }

    final class Line: Model {
        let text = Field<String>().require(.notBlank)
        let count = Field<Int>().require(.min(1))
    }

    final class Order: Model {
        let lines = ModelField<Line>()*
        let gift = ModelField<Line>()
        let note = Field<String>().require(.notBlank)
    }

    final class StrictOrder: Model {
        let lines = ModelField<Line>().requireValid()*
    }

    private func line(_ text: String = "a", _ count: Int = 1) -> Line {
        let line = Line()
        (line.text.value, line.count.value) = (text, count)
        return line
    }

    @Test func `what was said of models inside is in the order of the fields`() {
        let order = Order()
        order.lines.value = [line(), line(), line()]
        order.gift.value = line()
        order.note.value = ""
        let form = Form().add(order)
        form.apply(
            [
                ["note"], ["gift"], ["gift", "count"], ["gift", "text"], ["lines", 2, "count"],
                ["lines", 2], ["lines", 2, "text"], ["lines", 0, "text"], ["lines"],
            ].map { Issue(path: $0, message: "is odd") }
        )
        let paths: [FieldPath] = [
            ["lines"], ["lines", 0, "text"], ["lines", 2, "text"], ["lines", 2, "count"],
            ["lines", 2], ["gift", "text"], ["gift", "count"], ["gift"], ["note"],
        ]
        expect(form.issues.map(\.path), equals: paths)
        expect(Array(form.currentIssues().map(\.path).prefix(9)), equals: paths)
        expect(form.firstInvalid?.path, equals: ["lines"])
        order.lines.value?.swapAt(0, 2)
        expect(form.issues.map(\.path).first, equals: ["lines", 0, "text"], "they move along")
    }

    @Test func `it stands between what rules found in models inside`() {
        let order = StrictOrder()
        order.lines.value = [line(""), line(), line("", 0)]
        let form = Form().add(order)
        form.validate()
        form.apply([
            Issue(path: ["lines", 2, "count"], message: "is odd"),
            Issue(path: ["lines", 1, "text"], message: "is odd"),
        ])
        let paths: [FieldPath] = [
            ["lines", 0, "text"], ["lines", 1, "text"], ["lines", 2, "text"],
            ["lines", 2, "count"], ["lines", 2, "count"],
        ]
        expect(form.issues.map(\.path), equals: paths)
        expect(form.currentIssues().map(\.path), equals: paths)
    }

    class Vehicle: ModelObject, @unchecked Sendable {
        let wheels = Field<Int>(value: 4)
    }

    final class Truck: Vehicle, @unchecked Sendable {
        let load = Field<Int>().require(.required)
    }

    @Test func `fields of a subclass, and of one object alone, are fields of the form`() {
        let vehicle: Vehicle = Truck()
        vehicle << Field<String>(key: "nick").require(.notBlank)
        vehicle["nick"] = "Max"
        let form = Form().add(vehicle, named: "car")
        vehicle["nick"] = ""
        expect(form.changes, equals: [["car", "nick"]])
        expect(form.validate(), equals: .invalid(["load is required", "nick cannot be blank"]))
        form.apply([Issue(path: ["car", "load"], message: "is too high")])
        expect(form.generalIssues.isEmpty)
        form.discard()
        expect(vehicle["nick"] as? String, equals: "Max")
        expect(form.state, equals: .unknown)
    }
}
