import Foundation

/// Writes a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Says a figure, and whether it is within its limit.
func report(_ what: String, _ ratio: Double, least: Double? = nil, most: Double? = nil) -> Bool {
    let isGood = ratio >= least ?? 0 && ratio <= most ?? .infinity
    let limit = least.map { "at least \($0)" } ?? most.map { "at most \($0)" } ?? ""
    say("\(what): \(shown(ratio))  \(isGood ? "" : "OVER: ")\(limit)")
    return isGood
}

func shown(_ number: Double) -> String { String(format: "%.2f", number) }

func median(_ numbers: [Double]) -> Double {
    let sorted = numbers.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
}
