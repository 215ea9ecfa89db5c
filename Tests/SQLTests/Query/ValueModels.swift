import Foundation
import ModelKitFields
import ModelKitModels

enum Colour: String, CaseIterable, AttributeConvertible {
    case red, green, blue
}

enum Level: UInt64, CaseIterable, AttributeConvertible {
    case low = 3
    case high = 9_223_372_036_854_775_808
    case highest = 10_000_000_000_000_000_000
}

/// A field of every kind that queries know.
final class Offer: Model {
    let id = Field<String>()
    let price = Field<Decimal>()
    let wide = Field<UInt64>()
    let count = Field<Int>()
    let weight = Field<Double>()
    let flag = Field<Bool>()
    let text = Field<String>()
    let blob = Field<Data>()
    let date = Field<Date>()
    let colour = Field<Colour>()
    let level = Field<Level>()
    let tags = Field<String>()*
    let prices = Field<Decimal>()*
    let account = ModelField<Purse>(foreignKey: true)
    let home = ModelField<Purse>()
    let accounts = ModelField<Purse>(foreignKey: true)*
}

/// The same with indexes, also of the elements of `accounts`.
final class IndexedOffer: Model {
    let id = Field<String>()
    let price = Field<Decimal>().indexed()
    let wide = Field<UInt64>().indexed()
    let count = Field<Int>().indexed()
    let weight = Field<Double>().indexed()
    let flag = Field<Bool>().indexed()
    let text = Field<String>().indexed()
    let blob = Field<Data>().indexed()
    let date = Field<Date>().indexed()
    let colour = Field<Colour>().indexed()
    let level = Field<Level>().indexed()
    let tags = Field<String>()*
    let prices = Field<Decimal>()*
    let account = ModelField<Purse>(foreignKey: true)
    let home = ModelField<Purse>()
    let accounts = ModelField<Purse>(foreignKey: true)*

    init() { linkFields() }
}

final class Purse: Model {
    let id = Field<String>()
    let balance = Field<Decimal>().indexed()
    let wide = Field<UInt64>()
    let name = Field<String>()
    let offers = ModelField<IndexedOffer>(inverse: \.accounts)*

    init() { linkFields() }
}
