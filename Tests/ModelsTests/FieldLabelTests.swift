import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// One field has one name, whoever reports what is wrong with it.
@Suite struct FieldLabelTests {
    final class Street: Model {
        let line = Field<String>(name: "Street").require(.notBlank)
        let code = Field<String>().require(.notBlank)
    }

    final class Person: Model {
        let age = Field<Int>(name: "Age").require(.min(18))
        let tags = Field<String>(name: "Tags").require(.notBlank)*
        let size = Field<Int>().require(.min(1))
        let street = ModelField<Street>(name: "Home").requireValid()
        let streets = ModelField<Street>(name: "Others").requireValid()*.require(.minItems(2))

        func check(_ report: inout ModelReport) {
            report.require(age, "is not that of a person") { (age.value ?? 0) < 150 }
            report.require("is incomplete") { size.value != 0 }
        }

        static func wrong() -> Person {
            let person = Person()
            person.age.value = 3
            person.tags.value = ["a", ""]
            person.size.value = 0
            person.street.value = Street()
            person.streets.value = [Street()]
            return person
        }
    }

    static let messages = [
        "Age must be greater than or equal to 18", "Tags[1] cannot be blank",
        "size must be greater than or equal to 1", "Street cannot be blank",
        "street.code cannot be blank", "Others count must be greater than or equal to 2",
        "Street cannot be blank", "streets[0].code cannot be blank", "is incomplete",
    ]

    static let paths = [
        "age", "tags[1]", "size", "street.line", "street.code", "streets", "streets[0].line",
        "streets[0].code", "",
    ]

    @Test func `a model, its draft and a form call a field by the name that it has`() throws {
        let person = Person.wrong()
        let issues = person.validationIssues()
        expect(issues.map(\.description).sorted(), equals: Self.messages.sorted())
        expect(issues.map(\.path.description).sorted(), equals: Self.paths.sorted())
        expect(person.currentIssues().map(\.description), equals: issues.map(\.description))
        expect(person.validate(), equals: .invalid(issues.map(\.description)))
        let draft = Person.wrong().draft()
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.issues.map(\.description), equals: issues.map(\.description))
    }

    @Test func `what a form reports of a field with a name is the same`() throws {
        let person = Person.wrong()
        let form = Form()
        form.add(person)
        form.validate()
        let named = form.issues.filter { $0.field?.name != nil }
        expect(named.count, equals: 5)
        for issue in named { expect(issue.description, equals: issue.issue.description) }
        let reported = Set(person.validationIssues().map(\.description))
        expect(Set(named.map(\.description)).isSubset(of: reported))
    }

    @Test func `a label makes no issue another one`() throws {
        let issue = try #require(Person.wrong().validationIssues().first { $0.path == ["age"] })
        expect(issue.label, equals: "Age")
        var other = ModelKitFields.Issue(code: issue.code, path: ["age"], message: issue.message)
        other.parameters = issue.parameters
        expect(issue == other && issue.hashValue == other.hashValue && other.label == nil)
    }
}
