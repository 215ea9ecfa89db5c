import Benchmark
import ModelKit

// Two sizes, so that time which grows faster than the elements shows.

func addArrayBenchmarks() {
    for count in [1_000, 10_000] {
        Benchmark(
            "\(count) appends told to a closure, ModelKit",
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
}
