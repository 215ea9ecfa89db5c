import ModelKitFields
import ModelKitModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A model with a field of every kind.
final class ContractPerson: Model {
    let id = Field<String>()
    let name = Field<String>().require("cannot be blank") { !$0.isEmpty }
    let age = Field<Int>()
    let weight = Field<Double>()
    let isActive = Field<Bool>(value: true)
    let born = Field<Date>()
    let photo = Field<Data>()
    let tags = Field<String>()*
    let scores = Field<Double>()*
    let visits = Field<Date>()*
    let city = Field<String>(key: ["address", "city"])
    let quoted = Field<String>(key: "said \"it's\"; DROP TABLE x --")
    let home = ModelField<ContractAddress>()
    let past = ModelField<ContractAddress>()*
    let extra = Field<AttributeValue>()

    convenience init(_ id: String?, name: String? = nil, age: Int? = nil, weight: Double? = nil) {
        self.init()
        if let id { self.id.value = id }
        if let name { self.name.value = name }
        if let age { self.age.value = age }
        if let weight { self.weight.value = weight }
    }
}

final class ContractAddress: Model {
    let street = Field<String>()
    let since = Field<Date>()
    let floor = Field<Int>()
}

/// A model whose identifiers are numbers.
final class ContractItem: Model {
    let id = Field<Int>()
    let title = Field<String>()

    convenience init(_ id: Int? = nil, title: String? = nil) {
        self.init()
        if let id { self.id.value = id }
        if let title { self.title.value = title }
    }
}

/// A model whose identifiers are small numbers.
final class ContractSmall: Model {
    let id = Field<Int8>()

    convenience init(_ id: Int8) {
        self.init()
        self.id.value = id
    }
}

/// A model without an identifier.
final class ContractNameless: Model {
    let title = Field<String>()
}

/// A model with a field whose values are stored in another form.
final class ContractColor: Model {
    let id = Field<String>()
    let code = Field<Int>().transform(with: .hexadecimal)
    let mixed = Field<Int>().transform(with: .hexadecimal)*

    convenience init(_ id: String, _ code: Int) {
        self.init()
        self.id.value = id
        self.code.value = code
        mixed.value = [code]
    }
}

extension FieldTransformer<Int> {
    fileprivate static let hexadecimal = FieldTransformer(
        kind: .string,
        export: { .string(String($0, radix: 16)) },
        import: { value throws(Issue) in
            guard let number = Int(try String(attributeValue: value), radix: 16) else {
                throw Issue(code: "type", message: "must be a hexadecimal number")
            }
            return number
        }
    )
}

/// A model with unique and indexed fields, and with foreign keys.
final class ContractAccount: Model {
    let id = Field<String>()
    let email = Field<String>(key: ["contact", "email"]).unique()
    let ratio = Field<Double>().unique()
    let seen = Field<Date>().unique()
    let any = Field<AttributeValue>().unique()
    let city = Field<String>().indexed()
    let owner = ModelField<ContractCompany>(foreignKey: true)
    let others = ModelField<ContractCompany>(foreignKey: true)*

    convenience init(_ id: String, email: String? = nil, owner: ContractCompany? = nil) {
        self.init()
        self.id.value = id
        if let email { self.email.value = email }
        if let owner { self.owner.value = owner }
    }
}

final class ContractCompany: Model {
    let id = Field<String>()
    let name = Field<String>()
    let parent = ModelField<ContractCompany>(foreignKey: true)

    convenience init(_ id: String?, _ name: String?) {
        self.init()
        if let id { self.id.value = id }
        if let name { self.name.value = name }
    }
}

/// A model that is deleted with others, which have it, too.
final class ContractOrder: Model {
    let id = Field<String>()
    let note = Field<String>()
    let priority = Field<Int>(value: 3)
    let lines = ModelField<ContractLine>(inverse: \.order, cascadeDelete: true)*
    /// Keys without another side.
    let marked = ModelField<ContractLine>(foreignKey: true)*

    init() { linkFields() }

    /// One with all values, and its lines.
    static func sample() -> (order: ContractOrder, lines: [ContractLine]) {
        let order = ContractOrder()
        (order.id.value, order.note.value, order.priority.value) = ("o", "first", 36)
        let lines = ["l", "m"].map { id in
            let line = ContractLine()
            (line.id.value, line.text.value, line.amount.value) = (id, "text of \(id)", 1)
            return line
        }
        order.lines.value = lines
        order.marked.value = lines
        return (order, lines)
    }
}

final class ContractLine: Model {
    let id = Field<String>()
    let text = Field<String>().require(.required)
    let amount = Field<Int>().require("must be positive") { $0 > 0 }
    let order = ModelField<ContractOrder>(foreignKey: true)

    init() { linkFields() }
}

/// A model with parts that are deleted with it.
final class ContractTree: Model {
    let id = Field<String>()
    let parts = ModelField<ContractTree>(foreignKey: true, cascadeDelete: true)*

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}
