import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// What a form costs that has many issues of models inside: as much for each, however many there are.
@Suite(.timeLimit(.minutes(10))) struct FormSizeTests {
    final class Line: Model {
        let order = ModelField<Order>()
        let sku = Field<String>(value: "x").require(.minLength(2))

        init() { linkFields() }

        func check(_ report: inout ModelReport) {
            report.require("is sold out") { sku.value != "x" }
        }
    }

    final class Order: Model {
        let lines = ModelField<Line>(inverse: \.order).requireValid()*

        init() { linkFields() }
    }

    enum Work: CaseIterable {
        case validate, issues, state, currentIssues, applyToFields, applyToModels, validateOutdated
        case discard

        func callAsFunction(_ form: Form, _ order: Order) {
            let count = order.lines.count
            func say(_ key: FieldPath, code: String) {
                form.apply(
                    (0..<count).map { index in
                        let path = FieldPath(["lines", .index(index)]).appending(key)
                        return Issue(code: code, path: path, message: "is refused")
                    }
                )
            }
            switch self {
            case .validate: form.validate()
            case .issues: _ = form.visibleIssues.count + form.issues.count
            case .state: _ = (form.state, form.firstInvalid)
            case .currentIssues: _ = form.currentIssues()
            case .applyToFields:
                say(["sku"], code: "sku")
                _ = (form.state, form.currentIssues())
            case .applyToModels:
                say([], code: "line")
                _ = (form.state, form.currentIssues())
            case .validateOutdated:
                say([], code: "line")
                order.lines.value?[0].sku.value = "y"
                _ = form.currentIssues()
                form.validate()
            case .discard: form.discard()
            }
        }
    }

    private func seconds(_ work: Work, lines count: Int) -> Double {
        let order = Order()
        order.lines.value = (0..<count).map { _ in Line() }
        let form = Form().add(order)
        form.validate()
        form.touch(order.lines)
        // Of this thread alone: other tests run beside.
        var before = timespec()
        var after = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
        work(form, order)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
        return Double(after.tv_sec - before.tv_sec)
            + Double(after.tv_nsec - before.tv_nsec) / 1_000_000_000
    }

    @Test(arguments: Work.allCases)
    func `eight times as many issues cost not much more than eight times as much`(work: Work) {
        let few = (0..<3).map { _ in seconds(work, lines: 50) }.min() ?? 0
        let many = seconds(work, lines: 400)
        expect(many < 0.01 + few * 24, "\(work): \(few) s, then \(many) s")
    }

    @Test func `what is said of some of many lines is reported at these`() {
        let order = Order()
        order.lines.value = (0..<200).map { _ in Line() }
        for line in order.lines.value ?? [] { line.sku.value = "ok" }
        let form = Form().add(order)
        form.validate()
        form.apply([
            Issue(path: ["lines", 7, "sku"], message: "is gone"),
            Issue(path: ["lines", 3], message: "is odd"),
            Issue(path: ["lines", 3], message: "is old"),
        ])
        let expected = ["lines[3] is odd", "lines[3] is old", "lines[7].sku is gone"]
        expect(form.issues.map(\.issue.description).sorted(), equals: expected.sorted())
        // A set of the array takes back what was said of its elements, and not of their fields.
        order.lines.move(from: 7, to: 0)
        expect(form.issues.map(\.issue.description), equals: ["lines[0].sku is gone"])
        order.lines.value?[3].sku.value = "fine"
        expect(form.currentIssues().map(\.description), equals: ["lines[0].sku is gone"])
    }
}
