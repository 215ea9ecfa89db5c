import Foundation
import ModelKit
import ModelKitSQL

/// A window on a long list, in memory that does not grow with the list.
enum Window {
    private struct Parts: AsyncSequence, AsyncIteratorProtocol, Sendable {
        var numbers: Range<Int>

        mutating func next() async throws -> Part? {
            guard let number = numbers.popFirst() else { return nil }
            let part = Part(number, 0)
            // Others are of several kilobytes, of which a window has a thousand.
            part.text.value = "row \(number)"
            return part
        }
        func makeAsyncIterator() -> Parts { self }
    }

    static func fill(_ path: String, _ count: Int) async throws {
        let store = try SQLiteModelStore(path: path)
        let parts = Parts(numbers: 0..<count)
        say("\(try await store.importModels(parts).createdCount) rows")
        try await store.close()
    }

    /// Shows rows here and there while some are written, and says by how many kilobytes the peak of memory has grown; fails
    /// if that is more than 20 megabytes.
    static func observe(_ path: String) async throws {
        let store = try SQLiteModelStore(path: path)
        let one = try await store.list(Part.self, limit: 50)
        let before = try peak()
        let window = store.observe(Part.self, window: 0..<50)
        let results = window.makeAsyncIterator()
        guard let first = try await results.next() else { throw Damage("there is no result") }
        let total = first.total
        for place in [total / 2, total - 50, total / 3, 0] {
            window.show(place..<(place + 50))
            guard let result = try await results.next(), result.models.count == 50 else {
                throw Damage("there are not 50 at \(place)")
            }
            let numbers = result.models.map(\.number.value)
            if numbers.first != place { throw Damage("\(numbers[0] ?? -1) is at \(place)") }
            for model in result.models.prefix(5) {
                model.text.value = "seen"
                try await store.update(model)
                if try await results.next() == nil { throw Damage("no update was seen") }
            }
        }
        let grown = try peak() - before
        say("window of 50 among \(total): \(grown) kB more at the peak")
        if grown > 20 << 10 { throw Damage("that is too much") }
        withExtendedLifetime(one) {}
        try await store.close()
    }

    /// How many kilobytes of memory the process had at most.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        // VmHWM:     51200 kB
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let peak = line.flatMap({ Int($0.filter(\.isNumber)) }) else {
            throw Damage("nobody knows how much memory there is")
        }
        return peak
    }
}
