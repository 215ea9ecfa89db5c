import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// How often a computed field is made again that asks a form.
@Suite(.timeLimit(.minutes(10))) struct FormRecomputeTests {
    @Test(arguments: [1, 0])
    func `a validation asks the rules for a button as often as for itself`(value: Int) {
        let asked = Collector<Int>()
        let form = Form()
        for index in 0..<50 {
            let field = Field<Int>(value: value).require { value in
                asked.add(value)
                return value > 0
            }
            form.add(field, named: "\(index)")
        }
        let canSave = Computed { form.isCurrentlyValid }
        let seen = Collector<Bool?>()
        canSave --> { seen.add($0) }
        expect(asked.values.count, equals: 50)
        for round in 1...3 {
            form.validate()
            expect(asked.values.count <= 50 + round * 100)
        }
        expect(seen.values, equals: [value > 0])
    }

    final class Company: Model {
        let name = Field<String>().require(
            AsyncRule("is taken") { _ in
                try await Task.sleep(for: .seconds(3600))
                return true
            }
        )
    }

    final class Person: Model {
        let company = ModelField<Company>().requireValid()
    }

    @Test func `what is asked of a model inside is no news for ever`() {
        let (person, other) = (Person(), Company())
        person.company.value = Company()
        other.name.value = "Acme"
        let form = Form().add(person)
        let made = Collector<Void>()
        let ok = Computed { () -> Bool? in
            made.add(())
            return form.isCurrentlyValid && form.state != .invalid([])
        }
        let seen = Collector<Bool?>()
        ok --> { seen.add($0) }
        let before = made.values.count
        person.company.value = other
        expect(made.values.count - before < 10)
        expect(seen.values, equals: [true])
    }
}
