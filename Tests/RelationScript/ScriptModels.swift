import ModelKitFields
import ModelKitModels

/// A model of a script of relations.
protocol ScriptModel: Model {
    var amount: Field<Int> { get }
}

extension ScriptModel {
    /// The sum of the amounts of members, which is nil while they are not loaded.
    static func total<Member: ScriptModel>(of members: ModelArrayField<Member>) -> Computed<Int> {
        Computed { [members] in (members.value ?? []).reduce(0) { $0 + ($1.amount.value ?? 0) } }
    }

    static func count<Member: ScriptModel>(of members: ModelArrayField<Member>) -> Computed<Int> {
        Computed { [members] in members.count }
    }
}

/// An owner of members that are deleted with it, of some that lose it, and of some that need it.
final class ScriptShop: ScriptModel {
    let id = Field<String>()
    let amount = Field<Int>()
    let items = ModelField<ScriptItem>(inverse: \.shop)*
    let orders = ModelField<ScriptOrder>(inverse: \.shop, cascadeDelete: true)*
    let licence = ModelField<ScriptLicence>(inverse: \.shop)
    let seals = ModelField<ScriptSeal>(inverse: \.shop)*
    let itemsTotal: Computed<Int>
    let itemsCount: Computed<Int>
    let ordersTotal: Computed<Int>
    let ordersCount: Computed<Int>
    let sealsTotal: Computed<Int>
    let sealsCount: Computed<Int>

    init() {
        itemsTotal = Self.total(of: items)
        itemsCount = Self.count(of: items)
        ordersTotal = Self.total(of: orders)
        ordersCount = Self.count(of: orders)
        sealsTotal = Self.total(of: seals)
        sealsCount = Self.count(of: seals)
        linkFields()
    }
}

/// A member without an owner if need be, with parts of its own type.
final class ScriptItem: ScriptModel {
    let id = Field<String>()
    let amount = Field<Int>()
    let shop = ModelField<ScriptShop>(foreignKey: true)
    let whole = ModelField<ScriptItem>(foreignKey: true)
    let parts = ModelField<ScriptItem>(inverse: \.whole)*
    let partsTotal: Computed<Int>
    let partsCount: Computed<Int>

    init() {
        partsTotal = Self.total(of: parts)
        partsCount = Self.count(of: parts)
        linkFields()
    }
}

/// A member whose number the store makes, with several keys and members of its own.
final class ScriptOrder: ScriptModel {
    let id = Field<Int>()
    let amount = Field<Int>()
    let shop = ModelField<ScriptShop>(foreignKey: true)
    let tags = ModelField<ScriptTag>(foreignKey: true)*
    let lines = ModelField<ScriptLine>(inverse: \.order, cascadeDelete: true)*
    let linesTotal: Computed<Int>
    let linesCount: Computed<Int>

    init() {
        linesTotal = Self.total(of: lines)
        linesCount = Self.count(of: lines)
        linkFields()
    }
}

final class ScriptLine: ScriptModel {
    let id = Field<String>()
    let amount = Field<Int>()
    let order = ModelField<ScriptOrder>(foreignKey: true)

    init() { linkFields() }
}

final class ScriptLicence: ScriptModel {
    let id = Field<String>()
    let amount = Field<Int>()
    let shop = ModelField<ScriptShop>(foreignKey: true)

    init() { linkFields() }
}

/// A member that needs its owner.
final class ScriptSeal: ScriptModel {
    let id = Field<String>()
    let amount = Field<Int>()
    let shop = ModelField<ScriptShop>(foreignKey: true).require(.required)

    init() { linkFields() }
}

final class ScriptTag: ScriptModel {
    let id = Field<String>()
    let amount = Field<Int>()
    let orders = ModelField<ScriptOrder>(inverse: \.tags)*
    let ordersTotal: Computed<Int>
    let ordersCount: Computed<Int>

    init() {
        ordersTotal = Self.total(of: orders)
        ordersCount = Self.count(of: orders)
        linkFields()
    }
}

/// A type of the script.
enum ScriptKind: String, CaseIterable, Sendable {
    case shop, item, order, line, licence, seal, tag

    var type: any ScriptModel.Type {
        switch self {
        case .shop: ScriptShop.self
        case .item: ScriptItem.self
        case .order: ScriptOrder.self
        case .line: ScriptLine.self
        case .licence: ScriptLicence.self
        case .seal: ScriptSeal.self
        case .tag: ScriptTag.self
        }
    }

    /// Whether the store makes the identifiers.
    var isNumbered: Bool { self == .order }

    /// How many there are about.
    var usual: Int {
        switch self {
        case .shop: 5
        case .item: 14
        case .order, .line: 9
        case .licence, .seal: 3
        case .tag: 4
        }
    }
}
