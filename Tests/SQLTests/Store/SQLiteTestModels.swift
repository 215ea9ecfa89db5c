import Foundation
import ModelKitFields
import ModelKitModels

// Versions of a model, as of one program over the years, and models that do not fit.

enum First {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
    }
}

enum Second {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>()
        let isActive = Field<Bool>(value: true)
        let tags = Field<String>()*
        let city = Field<String>(value: "it's \"Rome\"", key: ["address", "city"])
    }
}

enum Third {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<Int>()
    }
}

enum Fourth {
    final class Person: Model {
        let name = Field<String>().identifier()
    }

    final class Numbered: Model {
        let id = Field<Int>()
        static var modelName: String { "person" }
    }
}

final class Everything: Model {
    let id = Field<Int>()
    let flag = Field<Bool>()
    let count = Field<Int>()
    let weight = Field<Double>()
    let name = Field<String>()
    let photo = Field<Data>()
    let born = Field<Date>()
    let tags = Field<String>()*
    let owner = ModelField<First.Person>()
    let extra = Field<AttributeValue>()
    let street = Field<String>(key: ["address", "street"])
}

final class Colliding: Model {
    let id = Field<String>()
    let flat = Field<String>(key: "a_B")
    let nested = Field<String>(key: ["a", "b"])
}

final class Reserved: Model {
    let id = Field<String>()
    let revision = Field<Int>(key: "_Revision")
}

final class Zeroed: Model {
    let id = Field<String>()
    let text = Field<String>(key: "a\u{0}b")
}

final class ZeroNamed: Model {
    let id = Field<String>()
    static var modelName: String { "a\u{0}b" }
}

final class Nameless: Model {
    let name = Field<String>()
}

final class Wrong: Model {
    let id = Field<String>()
    let color = Field<Int>()
        .transform(
            with: FieldTransformer(
                kind: .int,
                export: { .string("\($0)") },
                import: { value throws(ModelKitFields.Issue) in try Int(attributeValue: value) }
            )
        )
}
