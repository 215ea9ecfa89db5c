import ModelKit

/// An office that a person keeps in the home state.
final class Office: Model {
    let id = Field<String>(name: "Identifier").require(.notBlank)
    let person = Field<String>(name: "Person").require(.notBlank).indexed()
    let address = Field<String>(name: "Address")
    let city = Field<String>(name: "City").require(.notBlank)
    let state = Field<String>(name: "State").require(.state)
    let zip = Field<String>(name: "ZIP code").require(.zip)
    let phone = Field<String>(name: "Phone").require(.phone)
    let latitude = Field<Double>(name: "Latitude").require(.coordinate(upTo: 90))
    let longitude = Field<Double>(name: "Longitude").require(.coordinate(upTo: 180))
}
