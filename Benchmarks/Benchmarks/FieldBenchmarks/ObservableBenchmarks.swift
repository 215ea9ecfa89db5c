import Benchmark
import Observation

// The twins of the first workloads at the Observation module.

@Observable
private final class Box {
    var value = 0
}

func addObservableBenchmarks() {
    Benchmark("set Int, 0 observers, Observable") { benchmark in
        let box = Box()
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations { box.value = value &+ 1 }
    }

    // A tracking ends with the first change, so each set needs another.
    Benchmark("set Int, 1 observers, Observable") { benchmark in
        let box = Box()
        track(box)
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            box.value = value &+ 1
            track(box)
        }
    }

    Benchmark("read the value, Observable") { benchmark in
        let box = Box()
        for _ in benchmark.scaledIterations { blackHole(box.value) }
    }
}

private func track(_ box: Box) {
    withObservationTracking {
        blackHole(box.value)
    } onChange: {
    }
}
