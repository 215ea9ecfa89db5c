import ModelKitFields
import ModelKitModels

/// A model with the other side of a key, and what is computed of it.
final class ContractLedger: ContractModel {
    let id = Field<String>()
    let name = Field<String>()
    let entries = ModelField<ContractEntry>(inverse: \.ledger)*
    let badge = ModelField<ContractBadge>(inverse: \.ledger)
    let total: Computed<Int>

    init() {
        total = Computed { [entries] in
            (entries.value ?? []).reduce(0) { $0 + ($1.amount.value ?? 0) }
        }
        linkFields()
    }
}

final class ContractEntry: ContractModel {
    let id = Field<String>()
    let amount = Field<Int>()
    let ledger = ModelField<ContractLedger>(foreignKey: true)

    init() { linkFields() }

    convenience init(_ id: String, _ amount: Int, in ledger: ContractLedger? = nil) {
        self.init(id) { $0.amount.value = amount }
        if let ledger { self.ledger.value = ledger }
    }
}

/// A model that needs another one.
final class ContractBadge: ContractModel {
    let id = Field<String>()
    let ledger = ModelField<ContractLedger>(foreignKey: true).require(.required)

    init() { linkFields() }

    convenience init(_ id: String, of ledger: ContractLedger) {
        self.init(id) { $0.ledger.value = ledger }
    }
}

/// A model with several keys, whose other side is derived, too.
final class ContractPost: ContractModel {
    let id = Field<String>()
    let tags = ModelField<ContractTag>(foreignKey: true)*

    init() { linkFields() }

    convenience init(_ id: String, _ tags: [ContractTag]) { self.init(id) { $0.tags.value = tags } }
}

final class ContractTag: ContractModel {
    let id = Field<String>()
    let posts = ModelField<ContractPost>(inverse: \.tags)*

    init() { linkFields() }
}

/// A model whose number the store makes, with members that have it by their key.
final class ContractBill: Model {
    let id = Field<Int>()
    let items = ModelField<ContractBillItem>(inverse: \.bill, cascadeDelete: true)*

    init() { linkFields() }
}

final class ContractBillItem: Model {
    let id = Field<Int>()
    let amount = Field<Int>().require("must be positive") { $0 > 0 }
    let bill = ModelField<ContractBill>(foreignKey: true)

    init() { linkFields() }

    convenience init(_ amount: Int) {
        self.init()
        self.amount.value = amount
    }
}

/// A model that takes others with it, which take some that need it.
final class ContractRoom: ContractModel {
    let id = Field<String>()
    let books = ModelField<ContractBook>(inverse: \.room)*
    let shelves = ModelField<ContractShelf>(inverse: \.room, cascadeDelete: true)*

    init() { linkFields() }
}

final class ContractShelf: ContractModel {
    let id = Field<String>()
    let room = ModelField<ContractRoom>(foreignKey: true)
    let books = ModelField<ContractBook>(inverse: \.shelf, cascadeDelete: true)*

    init() { linkFields() }
}

final class ContractBook: ContractModel {
    let id = Field<String>()
    let room = ModelField<ContractRoom>(foreignKey: true).require(.required)
    let shelf = ModelField<ContractShelf>(foreignKey: true)

    init() { linkFields() }
}
