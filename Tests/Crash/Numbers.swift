import Foundation
import ModelKit
import ModelKitSQL

/// A part of what is written at once under a number.
final class Part: Model {
    let id = Field<String>()
    let number = Field<Int>()
    let text = Field<String>()

    static let count = 3

    convenience init(_ number: Int, _ part: Int) {
        self.init()
        id.value = "\(number)-\(part)"
        self.number.value = number
        text.value = Part.text(number, part)
    }

    /// Of another length each, so that they are not in pages of their own, and some in many.
    static func text(_ number: Int, _ part: Int) -> String {
        let count = (number * 7 + part * 31) % 60 + (number % 4 == 0 ? 1_500 : 0)
        return "\(number)-\(part) " + String(repeating: "abcdefghij", count: count)
    }

    static func all(_ number: Int) -> [Part] { (0..<count).map { Part(number, $0) } }

    /// What a record of it holds.
    var values: [FieldKey: AttributeValue] {
        dictionaryValue().reduce(into: [:]) { $0[FieldKey($1.key)] = $1.value }
    }
}

enum Numbers {
    /// Writes the numbers after the last one that is there until it is killed.
    static func write(_ path: String, isEarly: Bool = false, isUnsafe: Bool = false) async throws {
        let store = try SQLiteModelStore(path: path)
        var number = try await last(store)
        while true {
            number += 1
            if isEarly {
                say("\(number)")
                try await Task.sleep(for: .milliseconds(5))
            }
            _ = try await store.create(Part.all(number)).value
            if !isEarly { say("\(number)") }
            // After the first, so that there is a file to be damaged.
            if isUnsafe { try await store.ignoreDisk() }
        }
    }

    /// The same on a disk that does not always keep what was written: what fails is tried again.
    static func writeStubbornly(_ path: String) async throws {
        let store = try await stubbornly { try SQLiteModelStore(path: path) }
        var number = try await stubbornly { try await last(store) }
        while true {
            number += 1
            // It may be there already.
            let writes = Part.all(number).map { part in
                RecordWrite(
                    .save(part.identifier ?? "", part.values, .replace),
                    of: Part.schema
                )
            }
            _ = try await stubbornly { try await store.records.perform(writes).value }
            say("\(number)")
        }
    }

    private static func stubbornly<Result>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        for _ in 0..<100 {
            do {
                return try await body()
            } catch StoreError.unavailable {
                // And again.
            }
        }
        return try await body()
    }

    static func check(_ path: String) async throws {
        try checkIntegrity(path)
        let store = try SQLiteModelStore(path: path)
        say("\(try await last(store))")
        try await store.close().value
    }

    static func checkIntegrity(_ path: String) throws {
        let answer = try rows("PRAGMA integrity_check", of: path)
        if answer != ["ok"] { throw Damage(answer.joined(separator: "\n")) }
    }

    /// The greatest number; all below have to be there, each with all parts.
    static func last(_ store: SQLiteModelStore) async throws -> Int {
        let parts = try await store.list(Part.self).value
        for (index, part) in parts.enumerated() {
            let (number, position) = (index / Part.count + 1, index % Part.count)
            guard part.id.value == "\(number)-\(position)", part.number.value == number,
                part.text.value == Part.text(number, position)
            else { throw Damage("part \(position) of \(number) is \(part.dictionaryValue())") }
        }
        guard parts.count % Part.count == 0 else { throw Damage("the last number is half there") }
        return parts.count / Part.count
    }
}

extension SQLiteModelStore {
    /// Has writes no longer wait for the disk.
    func ignoreDisk() async throws {
        guard let writer = (records as? SQLiteRecordStore)?.pool.writer else { return }
        await withCheckedContinuation { continuation in
            writer.run { connection in
                try? connection.get().execute("PRAGMA synchronous=OFF")
                continuation.resume()
            }
        }
    }
}

/// The first column of every row, as texts.
func rows(_ sql: String, of path: String) throws -> [String] {
    try SQLiteConnection(path: path).withStatement(sql) { statement in
        var result: [String] = []
        while try statement.step() { result.append(try statement.string(at: 0)) }
        return result
    }
}
