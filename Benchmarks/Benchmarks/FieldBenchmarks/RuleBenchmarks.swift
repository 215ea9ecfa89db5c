import Benchmark
import ModelKit

// What rules cost: of values that pass, where nothing may be allocated, and of long texts, beside a
// loop over their bytes.

func addRuleBenchmarks() {
    Benchmark("five rules on one value, ModelKit") { benchmark in
        let rule: Rule<Int> = .all([
            .min(0), .max(9), .multipleOf(1), .greaterThan(-1), .lessThan(10),
        ])
        benchmark.startMeasurement()
        for iteration in benchmark.scaledIterations {
            blackHole(rule.issues(for: iteration % 10).isEmpty)
        }
    }
    Benchmark("five rules on one value, closures") { benchmark in
        let tests: [@Sendable (Int) -> Bool] = [
            { $0 >= 0 }, { $0 <= 9 }, { $0 % 1 == 0 }, { $0 > -1 }, { $0 < 10 },
        ]
        benchmark.startMeasurement()
        for iteration in benchmark.scaledIterations {
            blackHole(tests.allSatisfy { $0(iteration % 10) })
        }
    }

    Benchmark("validate five fields of one rule, ModelKit") { benchmark in
        let fields = (0..<5).map { Field<Int>(value: $0).require(.min(0)) }
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            for field in fields { blackHole(field.validate()) }
        }
    }
    Benchmark(
        "validate 10000 fields, ModelKit",
        configuration: .init(scalingFactor: .one)
    ) { benchmark in
        let fields = (0..<10_000).map { Field<Int>(value: $0).require(.min(0)) }
        for field in fields { field.validate() }
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            for field in fields { blackHole(field.validate()) }
        }
    }

    for (name, rule, text) in samples {
        Benchmark(
            "\(name) of 100 kB, ModelKit",
            configuration: .init(scalingFactor: .one)
        ) { benchmark in
            for _ in benchmark.scaledIterations { blackHole(rule.issues(for: text).isEmpty) }
        }
        Benchmark(
            "\(name) of 100 kB, a loop over the bytes",
            configuration: .init(scalingFactor: .one)
        ) { benchmark in
            for _ in benchmark.scaledIterations {
                var sum: UInt8 = 0
                for byte in text.utf8 { sum = sum &* 31 &+ byte }
                blackHole(sum)
            }
        }
    }
}

/// Texts that a format has to read to their end, or nearly.
private let samples: [(name: String, rule: Rule<String>, text: String)] = {
    func repeated(_ text: String) -> String {
        String(repeating: text, count: 100_000 / text.utf8.count)
    }
    return [
        ("email", .email, repeated("a") + "@example.com"),
        ("url", .url, "https://example.com/" + repeated("path/")),
        ("hostname", .hostname, repeated("label.")),
        ("base64", .base64, repeated("QUJD")),
        ("JSON pointer", .jsonPointer, repeated("/a~0b")),
        ("duration", .duration, "P" + repeated("1") + "Y"),
        ("digits", .digits, repeated("0123456789")),
        ("trimmed", .trimmed, repeated("word ") + "."),
        ("not blank", .notBlank, repeated(" \t")),
        ("slug", .slug, repeated("slug-") + "s"),
        ("at most 1000000 characters", .maxLength(1_000_000), repeated("é1")),
    ]
}()
