import ModelKitFields
import ModelKitModels

final class Studio: Model {
    let id = Field<String>()
    let name = Field<String>()
    let artists = ModelField<Artist>(inverse: \.studio)*

    init() { linkFields() }
}

final class Artist: Model {
    let id = Field<String>()
    let name = Field<String>()
    let studio = ModelField<Studio>()
    let bike = ModelField<Bike>(inverse: \.rider)
    let boss = ModelField<Artist>()
    let reports: ModelArrayField<Artist> = ModelField<Artist>(inverse: \.boss)*
    let spouse: ModelField<Artist> = ModelField(inverse: \.spouse)
    let films = ModelField<Film>(inverse: \.cast)*
    let friends: ModelArrayField<Artist> = ModelField<Artist>(inverse: \.friends)*

    init() { linkFields() }
}

final class Bike: Model {
    let id = Field<String>()
    let rider = ModelField<Artist>()

    init() { linkFields() }
}

final class Film: Model {
    let id = Field<String>()
    let cast = ModelField<Artist>()*

    init() { linkFields() }
}
