package import Foundation
package import ModelKitFields
package import ModelKitModels

package enum Colour: String, CaseIterable, AttributeConvertible {
    case red, green, blue
}

package enum Level: UInt64, CaseIterable, AttributeConvertible {
    case low = 3
    case high = 9_223_372_036_854_775_808
    case highest = 10_000_000_000_000_000_000
}

/// A field of every kind that queries know.
package final class Offer: Model {
    package let id = Field<String>()
    package let price = Field<Decimal>()
    package let wide = Field<UInt64>()
    package let count = Field<Int>()
    package let weight = Field<Double>()
    package let flag = Field<Bool>()
    package let text = Field<String>()
    package let blob = Field<Data>()
    package let date = Field<Date>()
    package let colour = Field<Colour>()
    package let level = Field<Level>()
    package let tags = Field<String>()*
    package let prices = Field<Decimal>()*
    package let account = ModelField<Purse>(foreignKey: true)
    package let home = ModelField<Purse>()
    package let accounts = ModelField<Purse>(foreignKey: true)*

    package init() {}
}

/// The same with indexes, also of the elements of `accounts`.
package final class IndexedOffer: Model {
    package let id = Field<String>()
    package let price = Field<Decimal>().indexed()
    package let wide = Field<UInt64>().indexed()
    package let count = Field<Int>().indexed()
    package let weight = Field<Double>().indexed()
    package let flag = Field<Bool>().indexed()
    package let text = Field<String>().indexed()
    package let blob = Field<Data>().indexed()
    package let date = Field<Date>().indexed()
    package let colour = Field<Colour>().indexed()
    package let level = Field<Level>().indexed()
    package let tags = Field<String>()*
    package let prices = Field<Decimal>()*
    package let account = ModelField<Purse>(foreignKey: true)
    package let home = ModelField<Purse>()
    package let accounts = ModelField<Purse>(foreignKey: true)*

    package init() { linkFields() }
}

package final class Purse: Model {
    package let id = Field<String>()
    package let balance = Field<Decimal>().indexed()
    package let wide = Field<UInt64>()
    package let name = Field<String>()
    package let offers = ModelField<IndexedOffer>(inverse: \.accounts)*

    package init() { linkFields() }
}
