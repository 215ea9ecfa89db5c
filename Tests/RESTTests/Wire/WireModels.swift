import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST

/// A model with a field of every kind.
final class Parcel: Model {
    let id = Field<String>()
    let firstName = Field<String>()
    let weight = Field<Double>()
    let pieceCount = Field<Int>(value: 1)
    let isFragile = Field<Bool>()
    let sentAt = Field<Date>()
    let photo = Field<Data>()
    let tags = Field<String>()*
    let stops = Field<Date>()*
    let city = Field<String>(key: ["homeAddress", "cityName"])
    let anything = Field<AttributeValue>()
    let things = Field<[String: AttributeValue]>()
    let oddName = Field<String>(key: "-a.b,c\\d")
    let sender = ModelField<Depot>(foreignKey: true)
    let pastDepots = ModelField<Depot>(foreignKey: true)*
    let label = ModelField<ParcelLabel>()
    let oldLabels = ModelField<ParcelLabel>()*
}

final class ParcelLabel: Model {
    let lineOne = Field<String>()
    let printedAt = Field<Date>()
    let anyExtra = Field<AttributeValue>()
}

final class Depot: Model {
    let depotNumber = Field<Int>().identifier()
    let streetName = Field<String>()
}
