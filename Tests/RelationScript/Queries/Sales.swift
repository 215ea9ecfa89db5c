package import Foundation
package import ModelKitFields
package import ModelKitModels

/// Numbers of every kind, with and without indexes, and what they are grouped by.
package final class Sale: Model {
    package let id = Field<Int>()
    package let amount = Field<Decimal>()
    package let price = Field<Decimal>().indexed()
    package let count = Field<Int>()
    package let stock = Field<Int>().indexed()
    package let wide = Field<UInt64>()
    package let weight = Field<Double>()
    package let text = Field<String>()
    package let day = Field<Date>()
    package let shop = ModelField<Shop>(foreignKey: true)
    package let tags = Field<String>()*
    package let mixed = Field<AttributeValue>()

    package init() {}
}

package final class Shop: Model {
    package let id = Field<Int>()
    package let city = Field<String>()

    package init() {}
}
