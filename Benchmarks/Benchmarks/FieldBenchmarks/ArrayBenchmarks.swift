import Benchmark
import ModelKit

// Two sizes, so that time which grows faster than the elements shows.

func addArrayBenchmarks() {
    for count in [1_000, 10_000] {
        Benchmark(
            "\(count) appends reported to a closure, ModelKit",
            configuration: .init(scalingFactor: .one)
        ) { benchmark in
            for _ in benchmark.scaledIterations {
                let field = ArrayField(Field<Int>(), value: [])
                field.observe { (value: [Int]?) in blackHole(value?.last) }
                for element in 0..<count { field.append(element) }
                precondition(field.count == count)
            }
        }
        Benchmark(
            "\(count) appends without duplicates, ModelKit",
            configuration: .init(scalingFactor: .one)
        ) { benchmark in
            for _ in benchmark.scaledIterations {
                let field = ArrayField(Field<Int>(), value: [], allowsDuplicates: false)
                for element in 0..<count { field.append(element) }
                precondition(field.count == count)
            }
        }
        Benchmark(
            "\(count) appends without duplicates, Set and Array",
            configuration: .init(scalingFactor: .one)
        ) { benchmark in
            for _ in benchmark.scaledIterations {
                var (known, elements): (Set<Int>, [Int]) = ([], [])
                for element in 0..<count where known.insert(element).inserted {
                    elements.append(element)
                }
                precondition(elements.count == count)
                blackHole(elements)
            }
        }
    }
    addLiveArrayBenchmarks()
}

/// An array of which others are made, filtered and sorted, whose edits somebody observes.
private func addLiveArrayBenchmarks() {
    let count = 10_000
    Benchmark(
        "1000 edits of \(count), filtered and sorted, ModelKit",
        configuration: .init(scalingFactor: .one)
    ) { benchmark in
        let (field, asked) = (ArrayField(Field<Int>(), value: Array(0..<count)), Calls())
        let live = field.filtered { number in
            asked.count += 1
            return number % 2 == 0
        }.sorted { $0 > $1 }
        edit(field, benchmark, observing: live)
        precondition(asked.count <= count + 1000 * benchmark.scaledIterations.count)
    }
    Benchmark(
        "1000 edits of \(count), filtered and sorted, each time anew",
        configuration: .init(scalingFactor: .one)
    ) { benchmark in
        let field = ArrayField(Field<Int>(), value: Array(0..<count))
        let live = Computed { field.value?.filter { $0 % 2 == 0 }.sorted { $0 > $1 } }
        edit(field, benchmark, observing: live)
    }
}

private func edit(_ field: ArrayField<Int>, _ benchmark: Benchmark, observing live: Computed<[Int]>)
{
    let received = Calls()
    live.observeEdits { change in received.count += change.edits.count }
    var number = 1
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
        for _ in 0..<500 {
            number = (number &* 48_271) % 0x7fff_ffff
            field.insert(number, at: number % field.count)
            field.remove(at: (number >> 7) % field.count)
        }
    }
    benchmark.stopMeasurement()
    precondition(received.count > 300 * benchmark.scaledIterations.count)
    precondition(live.value == field.value?.filter { $0 % 2 == 0 }.sorted { $0 > $1 })
}
