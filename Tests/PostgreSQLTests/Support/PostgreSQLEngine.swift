import Foundation
import ModelKitFields
import TestSupport

/// What a server would say that speaks PostgreSQL's protocol, and has its SQL but not all of its functions: a filter of
/// what goes through a proxy.
///
/// It gives up statements and commits at random. Something is sent to the server in their place, or before them, that is no
/// SQL; so the server has really taken everything back, and refuses what comes until the transaction is ended. What it
/// says of that arrives with another code. What is written by words that such a server does not know is refused.
final class PostgreSQLEngine: Sendable {
    private struct State {
        var chance: SplitMix
        var failures = 0
        var refused: Set<String> = []
        var functions: Set<String> = []
    }

    private let state: Guarded<State>
    private let forbidden: @Sendable (String) -> Bool

    static let failure = "modelkit_failure"
    static let refusal = "modelkit_refusal"

    /// - Parameters:
    ///   - seed: By which it gives up something.
    ///   - forbidden: Whether it knows a word not, in small letters.
    init(
        seed: UInt64,
        forbidden: @escaping @Sendable (String) -> Bool = PostgreSQLEngine.isForeign
    ) {
        state = Guarded(State(chance: SplitMix(seed: seed)))
        self.forbidden = forbidden
    }

    /// What is PostgreSQL's alone.
    static func isForeign(_ word: String) -> Bool {
        let words: Set = [
            "listen", "notify", "unlisten", "plpgsql", "xid", "xid8", "temp", "temporary",
            "concurrently", "lock", "lock_timeout", "pg_notify", "pg_terminate_backend",
        ]
        let parts = ["advisory", "xact", "snapshot", "xmin", "backend", "pg_stat"]
        return words.contains(word) || parts.contains(where: word.contains)
    }

    /// How often it has given up something.
    var failures: Int { state.withLock { $0.failures } }
    /// The words for which it has refused something.
    var refused: Set<String> { state.withLock { $0.refused } }
    /// The functions and catalogs of all that it was sent, and other words that a parenthesis follows.
    var functions: Set<String> { state.withLock { $0.functions } }

    func makeConversation() -> Conversation { Conversation(self) }

    /// Whether it refuses some SQL.
    fileprivate func refuses(_ sql: String) -> Bool {
        let (words, functions) = Self.words(of: sql)
        let unknown = words.filter(forbidden)
        return state.withLock { state in
            state.functions.formUnion(functions)
            state.refused.formUnion(unknown)
            return !unknown.isEmpty
        }
    }

    /// How many more messages of a connection it takes as they are.
    ///
    /// Sometimes few, so that what is tried again fails again; mostly many, so that it ends.
    fileprivate func patience(isFirst: Bool = false) -> Int {
        state.withLock { state in
            if !isFirst { state.failures += 1 }
            let isShort = Int.random(in: 0..<10, using: &state.chance) < 3
            return .random(in: isShort ? 0...20 : 30...1_000, using: &state.chance)
        }
    }

    /// The words outside of quotation marks, in small letters, and those of them that a parenthesis follows or that are
    /// catalogs.
    private static func words(of sql: String) -> (all: Set<String>, functions: Set<String>) {
        var (words, functions): (Set<String>, Set<String>) = ([], [])
        var (quote, word) = (Character?.none, "")
        for character in sql.lowercased() + " " {
            if let mark = quote {
                if character == mark { quote = nil }
            } else if character.isLetter || character == "_"
                || character.isNumber && !word.isEmpty
            {
                word.append(character)
            } else {
                if !word.isEmpty {
                    words.insert(word)
                    if character == "(" || word.hasPrefix("pg_") { functions.insert(word) }
                }
                word = ""
                if character == "\"" || character == "'" { quote = character }
            }
        }
        return (words, functions)
    }
}

extension PostgreSQLEngine {
    /// What is said on one connection.
    final class Conversation: Sendable {
        private struct State {
            var isStarted = false
            /// What has come of a message.
            var bytes: [PostgreSQLProxy.Direction: [UInt8]] = [:]
            var statements: [String: String] = [:]
            /// What was run since the last sync.
            var run: [String] = []
            var patience: Int
        }

        private let engine: PostgreSQLEngine
        private let state: Guarded<State>

        init(_ engine: PostgreSQLEngine) {
            self.engine = engine
            state = Guarded(State(patience: engine.patience(isFirst: true)))
        }

        /// What goes on in place of some bytes, which may be a part of a message.
        func change(_ bytes: [UInt8], _ direction: PostgreSQLProxy.Direction) -> [UInt8] {
            state.withLock { state in
                var rest = (state.bytes[direction] ?? []) + bytes
                var changed: [UInt8] = []
                if direction == .toServer, !state.isStarted {
                    // The first message has no letter.
                    guard let first = Message(unnamed: rest) else {
                        state.bytes[direction] = rest
                        return []
                    }
                    state.isStarted = true
                    changed += rest.prefix(first.count)
                    rest.removeFirst(first.count)
                }
                var start = 0
                while let message = Message(rest[start...]) {
                    start += message.count
                    changed +=
                        direction == .toServer
                        ? request(message, &state) : answer(message)
                }
                state.bytes[direction] = Array(rest[start...])
                return changed
            }
        }

        private func request(_ message: Message, _ state: inout State) -> [UInt8] {
            switch message.letter {
            case "Q":
                let sql = message.texts.first ?? ""
                if engine.refuses(sql) { return Message("Q", [PostgreSQLEngine.refusal]).bytes }
                if isGivenUp(sql, &state) {
                    return Message("Q", [PostgreSQLEngine.failure]).bytes
                }
            case "P":
                let texts = message.texts
                state.statements[texts[0]] = texts[1]
                if engine.refuses(texts[1]) {
                    return broken(PostgreSQLEngine.refusal) + message.bytes
                }
            case "B":
                let sql = state.statements[message.texts[1]] ?? ""
                state.run.append(sql)
                if isGivenUp(sql, &state) {
                    return broken(PostgreSQLEngine.failure) + message.bytes
                }
            case "S":
                let run = state.run
                state.run = []
                // That of statements without an end of their own commits them.
                if let last = run.last, !last.hasPrefix("COMMIT"), isGivenUp(last, &state) {
                    return broken(PostgreSQLEngine.failure) + message.bytes
                }
            default: break
            }
            return message.bytes
        }

        private func isGivenUp(_ sql: String, _ state: inout State) -> Bool {
            if ["ROLLBACK", "DEALLOCATE"].contains(where: sql.hasPrefix) { return false }
            state.patience -= 1
            if state.patience >= 0 { return false }
            state.patience = engine.patience()
            return true
        }

        /// What is to be compiled, and cannot be.
        private func broken(_ sql: String) -> [UInt8] { Message("P", ["", sql], [0, 0]).bytes }

        private func answer(_ message: Message) -> [UInt8] {
            guard message.letter == "E" else { return message.bytes }
            let text = message.texts.joined(separator: " ")
            for (mark, code, reason) in [
                (PostgreSQLEngine.failure, "40001", "restart transaction"),
                (PostgreSQLEngine.refusal, "0A000", "not supported"),
            ] where text.contains(mark) {
                return Message("E", ["SERROR", "VERROR", "C\(code)", "M\(reason)"], [0]).bytes
            }
            return message.bytes
        }
    }
}

/// A message of the protocol: a letter, a length, and what it says.
private struct Message {
    let letter: Character
    let bytes: [UInt8]

    var count: Int { bytes.count }

    /// The texts with which it begins, or which it has.
    var texts: [String] {
        bytes.dropFirst(5).split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first of some bytes; nil if it is not there as a whole.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 5,
            case let length = bytes.dropFirst().prefix(4).reduce(0, { $0 << 8 | Int($1) }),
            bytes.count > length
        else { return nil }
        letter = Character(UnicodeScalar(bytes[bytes.startIndex]))
        self.bytes = Array(bytes.prefix(length + 1))
    }

    /// One without a letter.
    init?(unnamed bytes: [UInt8]) {
        guard bytes.count >= 4,
            case let length = bytes.prefix(4).reduce(0, { $0 << 8 | Int($1) }),
            bytes.count >= length
        else { return nil }
        letter = " "
        self.bytes = Array(bytes.prefix(length))
    }

    init(_ letter: Character, _ texts: [String], _ end: [UInt8] = []) {
        let content = texts.flatMap { Array($0.utf8) + [0] } + end
        let length = withUnsafeBytes(of: Int32(content.count + 4).bigEndian) { Array($0) }
        self.letter = letter
        bytes = Array("\(letter)".utf8) + length + content
    }
}
