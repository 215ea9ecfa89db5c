import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

/// A model that is made with its identifier.
protocol ContractModel: Model {
    associatedtype ID: Hashable & Sendable
    var id: Field<ID> { get }
}

extension ContractModel {
    init(_ id: ID, _ edit: (Self) -> Void = { _ in }) {
        self.init()
        self.id.value = id
        edit(self)
    }
}

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

extension StoreError {
    /// No person has the identifier.
    static func noPerson(_ id: Identifier) -> Self {
        .notFound(type: "ContractPerson", identifier: id)
    }

    /// Another person has the identifier.
    static func samePerson(_ id: Identifier) -> Self {
        .alreadyExists(type: "ContractPerson", identifier: id)
    }
}

final class ContractAddress: Model {
    let street = Field<String>()
    let since = Field<Date>()
    let floor = Field<Int>()

    convenience init(street: String? = nil, floor: Int? = nil) {
        self.init()
        if let street { self.street.value = street }
        if let floor { self.floor.value = floor }
    }
}

/// A model whose identifiers are numbers.
final class ContractItem: ContractModel {
    let id = Field<Int>()
    let title = Field<String>()
}

/// A model whose identifiers are small numbers.
final class ContractSmall: ContractModel {
    let id = Field<Int8>()
}

/// A model with numbers of every kind that stores add up.
final class ContractPrice: ContractModel {
    let id = Field<String>()
    let amount = Field<Decimal>()
    let count = Field<Int>()
    let small = Field<Int8>()
    let wide = Field<UInt64>()
    let weight = Field<Double>()
    let day = Field<Date>()
    let category = Field<String>()
}

/// A model that is identified by a UUID, and has other ones.
final class ContractTicket: ContractModel {
    let id = Field<UUID>()
    let code = Field<UUID>().unique()
    let parent = ModelField<ContractTicket>(foreignKey: true)
}

/// A model without an identifier.
final class ContractNameless: Model {
    let title = Field<String>()
}

/// A model with a field whose values are stored in another form.
final class ContractColor: ContractModel {
    let id = Field<String>()
    let code = Field<Int>().transform(with: .hexadecimal)
    let mixed = Field<Int>().transform(with: .hexadecimal)*
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
final class ContractAccount: ContractModel {
    let id = Field<String>()
    let email = Field<String>(key: ["contact", "email"]).unique()
    let ratio = Field<Double>().unique()
    let seen = Field<Date>().unique()
    let any = Field<AttributeValue>().unique()
    let city = Field<String>().indexed()
    let owner = ModelField<ContractCompany>(foreignKey: true)
    let others = ModelField<ContractCompany>(foreignKey: true)*

    /// Two that are one in a store, which keeps microseconds.
    static let dates = [1, 1.000_000_2].map { Date(timeIntervalSince1970: $0) }

    convenience init(_ id: String, email: String) { self.init(id) { $0.email.value = email } }
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
final class ContractOrder: ContractModel {
    let id = Field<String>()
    let note = Field<String>()
    let priority = Field<Int>(value: 3)
    let lines = ModelField<ContractLine>(inverse: \.order, cascadeDelete: true)*
    /// Keys without another side.
    let marked = ModelField<ContractLine>(foreignKey: true)*

    init() { linkFields() }

    /// One with all values, and its lines.
    static func sample() -> (order: ContractOrder, lines: [ContractLine]) {
        let lines = ["l", "m"].map { ContractLine($0, "text of \($0)") }
        let order = ContractOrder("o") {
            ($0.note.value, $0.priority.value) = ("first", 36)
            ($0.lines.value, $0.marked.value) = (lines, lines)
        }
        return (order, lines)
    }
}

final class ContractLine: ContractModel {
    let id = Field<String>()
    let text = Field<String>().require(.required)
    let amount = Field<Int>().require("must be positive") { $0 > 0 }
    let order = ModelField<ContractOrder>(foreignKey: true)

    init() { linkFields() }

    convenience init(_ id: String, _ text: String) {
        self.init(id) { ($0.text.value, $0.amount.value) = (text, 1) }
    }
}

/// A model with parts that are deleted with it.
final class ContractTree: ContractModel {
    let id = Field<String>()
    let parts = ModelField<ContractTree>(foreignKey: true, cascadeDelete: true)*
}

/// What a case itself fails with.
struct ContractFailure: Error {}

/// A model that records its notifications.
final class ContractNote: ContractModel {
    let id = Field<String>()
    let title = Field<String>()
    let slug = Field<String>()
    let log = ContractLog()

    func beforeSave() throws {
        log.append("beforeSave")
        if title.value == "forbidden" { throw ContractFailure() }
        slug.value = title.value?.lowercased()
    }

    func afterCreate() { log.append("afterCreate") }

    func afterDelete() { log.append("afterDelete \(id.value ?? "without an identifier")") }
}

final class ContractLog: Sendable {
    private let entries = Guarded<[String]>([])

    var all: [String] { entries.withLock { $0 } }

    func append(_ entry: String) { entries.withLock { $0.append(entry) } }

    /// What was there, which is there no longer.
    func take() -> [String] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}
