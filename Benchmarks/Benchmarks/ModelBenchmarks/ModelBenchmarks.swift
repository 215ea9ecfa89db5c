import Benchmark
import Foundation
import ModelKit

// A thousand people of ten properties, as models and as a Codable class, from the same bytes.

final class Person: Model {
    let id = Field<Int>()
    let firstName = Field<String>()
    let lastName = Field<String>()
    let email = Field<String>()
    let age = Field<Int>()
    let weight = Field<Double>()
    let isActive = Field<Bool>()
    let city = Field<String>()
    let notes = Field<String>()
    let tags = Field<String>()*
}

final class CodablePerson: Codable {
    var id: Int
    var firstName: String
    var lastName: String
    var email: String
    var age: Int
    var weight: Double
    var isActive: Bool
    var city: String
    var notes: String
    var tags: [String]

    init(_ number: Int) {
        id = number
        firstName = "First\(number)"
        lastName = "Last\(number % 97)"
        email = "someone.\(number)@example.com"
        age = number % 90
        weight = Double(number % 700) / 7
        isActive = number % 2 == 0
        city = ["Oslo", "Rome", "Lima", "Quito"][number % 4]
        notes = String(repeating: "Some text that is a little longer. ", count: 4)
        tags = ["red", "green", "blue"]
    }
}

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .microseconds,
        warmupIterations: 2,
        maxDuration: .seconds(3),
        maxIterations: 200
    )

    Benchmark("JSON to 1000 people, ModelKit") { benchmark in
        let json = try JSONEncoder().encode((0..<1000).map(CodablePerson.init))
        benchmark.startMeasurement()
        blackHole(try [Person](json: json))
    }
    Benchmark("JSON to 1000 people, JSONDecoder") { benchmark in
        let json = try JSONEncoder().encode((0..<1000).map(CodablePerson.init))
        benchmark.startMeasurement()
        blackHole(try JSONDecoder().decode([CodablePerson].self, from: json))
    }

    Benchmark("1000 people to JSON, ModelKit") { benchmark in
        let json = try JSONEncoder().encode((0..<1000).map(CodablePerson.init))
        let people = try [Person](json: json)
        benchmark.startMeasurement()
        blackHole(try people.jsonData())
    }
    Benchmark("1000 people to JSON, JSONDecoder") { benchmark in
        let people = (0..<1000).map(CodablePerson.init)
        benchmark.startMeasurement()
        blackHole(try JSONEncoder().encode(people))
    }

    Benchmark("create 1000 models of 10 fields, ModelKit") { benchmark in
        for _ in 0..<1000 { blackHole(Person()) }
    }
}
