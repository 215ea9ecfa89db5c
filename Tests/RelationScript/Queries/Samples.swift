package import Foundation
package import ModelKitFields
package import ModelKitModels

/// A field of every kind.
package final class Sample: Model {
    package let id = Field<String>()
    package let flag = Field<Bool>()
    package let number = Field<Int>()
    package let weight = Field<Double>()
    package let text = Field<String>()
    package let blob = Field<Data>()
    package let date = Field<Date>()
    package let list = Field<AttributeValue>()*
    package let anything = Field<AttributeValue>()
    package let token = Field<UUID>()
    package let nested = Field<String>(key: ["a", "b"])
    package let partner = ModelField<Partner>(foreignKey: true)
    package let partners = ModelField<Partner>(foreignKey: true)*
    package let home = ModelField<Partner>()
    package let boss = ModelField<Sample>(foreignKey: true)
    package let ticket = ModelField<Ticket>(foreignKey: true)

    package init() {}
}

/// The same with indexes, also of the elements of `partners`.
package final class Indexed: Model {
    package let id = Field<String>()
    package let flag = Field<Bool>().indexed()
    package let number = Field<Int>().indexed()
    package let weight = Field<Double>().indexed()
    package let text = Field<String>().indexed()
    package let blob = Field<Data>().indexed()
    package let date = Field<Date>().indexed()
    package let list = Field<AttributeValue>()*
    package let anything = Field<AttributeValue>().indexed()
    package let token = Field<UUID>().indexed()
    package let nested = Field<String>(key: ["a", "b"]).indexed()
    package let partner = ModelField<Partner>(foreignKey: true)
    package let partners = ModelField<Partner>(foreignKey: true)*
    package let home = ModelField<Partner>()
    package let boss = ModelField<Indexed>(foreignKey: true)
    package let ticket = ModelField<Ticket>(foreignKey: true)

    package init() { linkFields() }
}

package final class Partner: Model {
    package let id = Field<String>()
    package let text = Field<String>()
    package let number = Field<Int>().indexed()
    package let partner = ModelField<Partner>(foreignKey: true)
    package let indexed = ModelField<Indexed>(inverse: \.partners)*

    package init() { linkFields() }
}

package final class Ticket: Model {
    package let id = Field<UUID>()
    package let text = Field<String>()

    package init() {}
}
