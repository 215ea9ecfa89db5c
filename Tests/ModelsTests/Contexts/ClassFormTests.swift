import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// The form that the class of a field brings comes last, as that of a type does.
@Suite struct ClassFormTests {
    enum Paint: String, CaseIterable { case red, blue }

    final class Person: Model {
        let id = Field<Int>()
        let name = Field<String>()
    }

    final class Car: Model {
        let paint = EnumField<Paint>()
        let paints = EnumField<Paint>()*
        let driver = ModelField<Person>()
        let riders = ModelField<Person>()*
        let owner = ModelField<Person>(foreignKey: true)
        let owners = ModelField<Person>(foreignKey: true)*
        let given = EnumField<Paint>().transform(with: ClassFormTests.letter)
    }

    static let letter = FieldTransformer<Paint>(
        kind: .string,
        export: { .string(String($0.rawValue.prefix(1))) },
        import: { value throws(ModelKitFields.Issue) in
            for paint in Paint.allCases where value == .string(String(paint.rawValue.prefix(1))) {
                return paint
            }
            throw ModelKitFields.Issue(code: "type", message: "must be a letter")
        }
    )

    static let upper = FieldTransformer<Paint>(
        kind: .string,
        export: { .string($0.rawValue.uppercased()) },
        import: { value throws(ModelKitFields.Issue) in
            for paint in Paint.allCases where value == .string(paint.rawValue.uppercased()) {
                return paint
            }
            throw ModelKitFields.Issue(code: "type", message: "must be in capitals")
        }
    )

    static var contexts: [ValueTransformerContext] {
        func adding(_ context: ValueTransformerContext) -> ValueTransformerContext {
            var context = context
            context.transform(Paint.self, with: upper)
            context.transform(Person.self, with: .fields(\.name))
            return context
        }
        let base = adding(.default)
        return [
            base, adding(ValueTransformerContext(name: "other")),
            ValueTransformerContext(name: "child", parent: base),
            adding(ValueTransformerContext(name: "child", parent: .default)),
        ]
    }

    @Test(arguments: 0..<4)
    func `the form of a type in a context comes before that of the class of a field`(
        index: Int
    ) throws {
        let context = Self.contexts[index]
        let car = Car(), person = Person()
        (person.id.value, person.name.value) = (1, "Ada")
        (car.paint.value, car.paints.value) = (.red, [.red, .blue])
        (car.driver.value, car.riders.value) = (person, [person])
        (car.owner.value, car.owners.value) = (person, [person])
        let ada: AttributeValue = ["name": "Ada"]
        var expected: AttributeDictionary = [
            "paint": "RED", "paints": ["RED", "BLUE"], "driver": ada, "riders": [ada],
            "owner": ada, "owners": [ada],
        ]
        expect(car.dictionaryValue(in: context), equals: expected)
        let read = try Car(json: car.jsonData(in: context), in: context)
        expect(read.dictionaryValue(in: context), equals: expected)
        expect(read.paints.value, equals: [.red, .blue])
        // What a field was given without a context counts in the default one, and in those below it.
        car.given.value = .blue
        expected["given"] = index.isMultiple(of: 2) ? "b" : "BLUE"
        expect(car.dictionaryValue(in: context), equals: expected)
        let plain = car.dictionaryValue()
        expect(plain["paint"] == "red" && plain["owner"] == 1 && plain["given"] == "b")
    }
}
