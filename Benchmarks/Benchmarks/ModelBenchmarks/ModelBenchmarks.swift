import Benchmark
import Foundation
import ModelKit

// The same people from the same bytes as models and as Codable classes, which observe nothing.

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .microseconds,
        warmupIterations: 2,
        maxDuration: .seconds(3),
        maxIterations: 200
    )

    // What is read or written is made before, and let go of after: to free models is no part of it.
    let json = { try CodablePerson.json(1000) }
    Benchmark(
        "JSON to 1000 people, ModelKit",
        closure: { (_: Benchmark, json: Data) in blackHole(try [Person](json: json)) },
        setup: json
    )
    Benchmark(
        "JSON to 1000 people, JSONDecoder",
        closure: { (_: Benchmark, json: Data) in
            blackHole(try JSONDecoder().decode([CodablePerson].self, from: json))
        },
        setup: json
    )

    Benchmark(
        "1000 people to JSON, ModelKit",
        closure: { (_: Benchmark, people: [Person]) in blackHole(try people.jsonData()) },
        setup: { try [Person](json: CodablePerson.json(1000)) }
    )
    Benchmark(
        "1000 people to JSON, JSONEncoder",
        closure: { (_: Benchmark, people: [CodablePerson]) in
            blackHole(try JSONEncoder().encode(people))
        },
        setup: { (0..<1000).map(CodablePerson.init) }
    )

    Benchmark("one person to JSON and back 1000 times, ModelKit") { benchmark in
        let people = try [Person](json: CodablePerson.json(1))
        benchmark.startMeasurement()
        for _ in 0..<1000 { blackHole(try Person(json: people[0].jsonData())) }
    }
    Benchmark("one person to JSON and back 1000 times, Codable") { benchmark in
        let person = CodablePerson(0)
        benchmark.startMeasurement()
        for _ in 0..<1000 {
            let json = try JSONEncoder().encode(person)
            blackHole(try JSONDecoder().decode(CodablePerson.self, from: json))
        }
    }

    // Each benchmark runs in a process of its own, whose peak this is.
    let memory = Benchmark.Configuration(
        metrics: [.peakMemoryResident],
        timeUnits: .microseconds,
        maxIterations: 1
    )
    Benchmark("memory of JSON to 10000 people, ModelKit", configuration: memory) { benchmark in
        let json = try CodablePerson.json(10_000)
        benchmark.startMeasurement()
        blackHole(try [Person](json: json))
    }
    Benchmark("memory of JSON to 10000 people, JSONDecoder", configuration: memory) { benchmark in
        let json = try CodablePerson.json(10_000)
        benchmark.startMeasurement()
        blackHole(try JSONDecoder().decode([CodablePerson].self, from: json))
    }

    Benchmark("create 1000 models of 10 fields, ModelKit") { _ in
        for _ in 0..<1000 { blackHole(Person()) }
    }
    Benchmark("create 1000 models with rules, ModelKit") { _ in
        for _ in 0..<1000 { blackHole(CheckedPerson()) }
    }
    Benchmark("create 1000 models with rules, without them") { _ in
        for _ in 0..<1000 { blackHole(Person()) }
    }
    Benchmark("visit 10 fields 1000 times, ModelKit") { benchmark in
        let person = Person()
        benchmark.startMeasurement()
        for _ in 0..<1000 { person.visitAllFields(recursive: false) { blackHole($0) } }
    }
    Benchmark("visit 10 fields 1000 times, Mirror") { benchmark in
        let person = Person()
        benchmark.startMeasurement()
        for _ in 0..<1000 {
            for child in Mirror(reflecting: person).children { blackHole(child.value as? AnyField) }
        }
    }

    Benchmark("1000 people to dictionaries, ModelKit") { benchmark in
        let people = try [Person](json: CodablePerson.json(1000))
        benchmark.startMeasurement()
        for person in people { blackHole(person.dictionaryValue()) }
    }
    Benchmark("dictionaries to 1000 people, ModelKit") { benchmark in
        let people = try [Person](json: CodablePerson.json(1000))
        let dictionaries = people.dictionaryValues()
        benchmark.startMeasurement()
        blackHole(try [Person](dictionaryValues: dictionaries))
    }

    addGrowthBenchmarks()
}
