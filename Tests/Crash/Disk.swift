import Foundation
import ModelKit
import ModelKitSQL

/// A disk that gets full in the middle of a batch.
enum Full {
    static func run(_ directory: String) async throws {
        let path = "\(directory)/full.db"
        let store = try SQLiteModelStore(path: path)
        var number = 0
        var failure: StoreError?
        while failure == nil {
            if number > 5_000 { throw Damage("the disk does not get full") }
            do {
                // Greater than what one page of the write-ahead log holds.
                let batch = (1...20).flatMap { Part.all(number + $0) }
                _ = try await store.create(batch).value
                number += 20
            } catch let error as StoreError {
                failure = error
            }
        }
        guard case .unavailable(_, .notApplied)? = failure else {
            throw Damage("a full disk is \(String(describing: failure))")
        }
        say("\(number) before: \(failure?.description ?? "")")
        guard try await Numbers.last(store) == number else { throw Damage("a batch is half there") }

        try FileManager.default.removeItem(atPath: "\(directory)/filler")
        _ = try await store.create((1...20).flatMap { Part.all(number + $0) }).value
        guard try await Numbers.last(store) == number + 20 else { throw Damage("it is not usable") }
        try await store.close().value
        try Numbers.checkIntegrity(path)
        say("\(number + 20) after")
    }
}

/// A disk that fails when it is asked to keep what was written.
enum Failing {
    private static let before = 1...10
    private static let now = 11...20

    /// Creates the records of a time when the disk does not fail.
    static func prepare(_ path: String) async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(before.flatMap(Part.all)).value
        try await store.close().value
    }

    /// Creates ten more and says of each: `+` that it is there, `-` that it is not, `?` that it may be.
    static func write(_ path: String, isUnsafe: Bool = false) async throws {
        let store = try SQLiteModelStore(path: path)
        if isUnsafe { try await store.ignoreDisk() }
        var said = ""
        for number in now {
            do {
                _ = try await store.create(Part.all(number)).value
                said += "+"
            } catch let error as StoreError {
                switch error.outcome {
                case .notApplied: said += "-"
                case .unknown: said += "?"
                case .applied: throw Damage("\(error) is applied")
                }
            }
            do {
                _ = try await store.list(Part.self).value
            } catch is StoreError {
                // Which says clearly that it does not answer.
            }
        }
        say(said)
    }

    static func check(_ path: String, _ said: String) async throws {
        let store = try SQLiteModelStore(path: path)
        try Numbers.checkIntegrity(path)
        let found = Dictionary(
            grouping: try await store.list(Part.self).value,
            by: { $0.number.value ?? 0 }
        )
        let words = zip(Array(before) + Array(now), before.map { _ in "+" } + said)
        for (number, word) in words {
            let count = found[number]?.count ?? 0
            switch (word, count) {
            case ("+", Part.count), ("-", 0), ("?", 0), ("?", Part.count): break
            default: throw Damage("it said \(said), and \(number) has \(count) parts")
            }
        }
        // It can be used again.
        _ = try await store.create(Part.all(now.upperBound + 1)).value
        try await store.close().value
    }
}
