import Benchmark
import Foundation
import ModelKit

// What once took a time by the square of its number.

private final class Studio: Model {
    let artists = ModelField<Artist>(inverse: \.studio)*
    init() { linkFields() }
}

private final class Artist: Model {
    let id = Field<Int>()
    let studio = ModelField<Studio>()
    init() { linkFields() }
}

private final class Office: Model {
    let id = Field<Int>()
    let desks = ModelField<Desk>(inverse: \.office, foreignKey: true)*
    init() { linkFields() }
}

private final class Desk: Model {
    let id = Field<Int>()
    let office = ModelField<Office>(foreignKey: true)
    init() { linkFields() }
}

func addGrowthBenchmarks() {
    Benchmark("8000 models get one partner, ModelKit") { benchmark in
        let studio = Studio()
        let artists = (0..<8000).map { _ in Artist() }
        benchmark.startMeasurement()
        for artist in artists { artist.studio.value = studio }
        benchmark.stopMeasurement()
        precondition(studio.artists.count == artists.count)
        studio.unlink()
    }
    Benchmark("8000 models of a stream with one foreign key, ModelKit") { benchmark in
        let list = (0..<8000).map { #"{"id": \#($0), "office": 1}"# }
        let json = Data("[\(list.joined(separator: ","))]".utf8)
        benchmark.startMeasurement()
        var reader = ModelArrayReader<Desk>()
        let desks = try reader.read(json)
        precondition(desks.count == list.count)
    }
    Benchmark("8000 elements that do not fit, ModelKit") { benchmark in
        let list = Array(repeating: #"{"id": "x"}"#, count: 8000)
        let json = Data("[\(list.joined(separator: ","))]".utf8)
        benchmark.startMeasurement()
        var reader = ModelArrayReader<Desk>(policy: .skipInvalid(nil))
        blackHole(try reader.read(json))
    }
}
