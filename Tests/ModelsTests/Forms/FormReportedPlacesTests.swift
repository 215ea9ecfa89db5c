import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// What was reported to a form about fields of models in its fields, and is to be forgotten.
@Suite struct FormReportedPlacesTests {
    final class Line: Model {
        let start = Field<Int>(value: 5)
        let end = Field<Int>(value: 9)

        func check(_ report: inout ModelReport) {
            report.require(end, "must not be before the start") {
                guard let start = start.value, let end = end.value else { return true }
                return start <= end
            }
        }
    }

    final class Order: Model {
        let lines = ModelField<Line>().requireValid()*
    }

    private let order = Order()
    private let form = Form()

    init() {
        form.add(order)
        order.lines.value = [Line()]
    }

    private func said(severity: Issue.Severity = .error) -> [Issue] {
        [Issue(path: ["lines", 0, "end"], message: "is in the past", severity: severity)]
    }

    @Test(arguments: [true, false])
    func `what a check has found does not outlast what it was about`(validatesForm: Bool) {
        let line = order.lines.value?.first
        let canSave = Computed { [form] in form.isCurrentlyValid }
        let seen = Collector<Bool?>()
        canSave --> { seen.add($0) }
        form.apply(said())
        line?.end.value = 8
        line?.end.value = 3
        if validatesForm { form.validate() } else { line?.validate() }
        expect(form.currentIssues().map(\.path), equals: [["lines", 0, "end"]])
        line?.start.value = 1
        expect(form.currentIssues(), equals: [])
        expect(seen.values, equals: [true, false, true, false, true])
        expect(form.validate(), equals: .valid)
    }

    @Test func `what is found again counts again`() {
        final class Loose: Model {
            let lines = ModelField<Line>()*
        }
        let (loose, line) = (Loose(), Line())
        loose.lines.value = [line]
        let form = Form().add(loose)
        form.apply([Issue(path: ["lines", 0, "end"], message: "is in the past")])
        let issues = Computed { form.currentIssues().map(\.message) }
        let seen = Collector<[String]?>()
        issues --> { seen.add($0) }
        line.end.value = 3
        line.validate()
        line.start.value = 4
        line.validate()
        let early = "must not be before the start"
        expect(seen.values, equals: [["is in the past"], [], [early], [], [early]])
    }

    @Test func `a place is forgotten where nothing is said any more`() {
        weak var freed: Line?
        do {
            let line = Line()
            freed = line
            order.lines.value = [line]
            form.apply(said())
            line.end.value = 8
            order.lines.value = []
        }
        form.validate()
        expect(freed, equals: nil)
    }

    @Test func `a submit that succeeds forgets what was said of models that are gone`() async throws
    {
        weak var freed: Line?
        func say() {
            let line = Line()
            freed = line
            order.lines.value = [line]
            form.apply(said())
            order.lines.value = [Line()]
        }
        say()
        form.validate()
        try await form.submit { form.apply(said(severity: .warning)) }
        expect(freed, equals: nil)
        expect(form.issues.map(\.description), equals: ["end is in the past"], "said by the work")
    }
}
