import ModelKitFields
import ModelKitREST
import ModelKitTesting
import TestSupport
import Testing

@Suite struct ParameterDecoderTests {
    @Test func `parameters keep their order, and come as often as they do`() throws {
        let parameters = try ParameterDecoder().parameters(of: "b=2&a=1&&b=x+y%2B&c&d=%26=")
        expect(parameters.map(\.name), equals: ["b", "a", "b", "c", "d"])
        expect(parameters.map(\.value), equals: ["2", "1", "x y+", "", "&="])
        expect(parameters["b"], equals: "2")
        expect(parameters["x"], equals: nil)
        expect(parameters.values(of: "b"), equals: ["2", "x y+"])
        try expect(ParameterDecoder().parameters(of: "").isEmpty)
        expect(HTTPRequest(.get, "/p?a=1?b").query, equals: "a=1?b")
        expect(HTTPRequest(.get, "/p").query, equals: "")
    }

    @Test(arguments: [
        ("age=%zz", "age: is not percent-encoded UTF-8"),
        ("age=%F", "age: is not percent-encoded UTF-8"),
        ("age=%FF", "age: is not percent-encoded UTF-8"),
        ("age=é", "age: is not percent-encoded UTF-8"),
        ("age=a b", "age: is not percent-encoded UTF-8"),
        ("age=a#b", "age: is not percent-encoded UTF-8"),
        ("%FF=1", "%FF: is not percent-encoded UTF-8"),
        ("=1", "is no name of a parameter"),
        ("a&b&c&d&e", "e: there may be 4 parameters"),
        ("a=12345678901234567890123456789012345", "the query may have 32 bytes"),
    ])
    func `what is wrong is said of the parameter`(query: String, problem: String) {
        do throws(ParameterError) {
            _ = try ParameterDecoder(count: 4, length: 32).parameters(of: query)
            Issue.record("there is nothing wrong with \(query)")
        } catch {
            expect(error.description, equals: problem)
        }
    }

    @Test(arguments: ParameterArrays.allCases, [true, false])
    func `what is written is read`(arrays: ParameterArrays, escapesBrackets: Bool) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let encoder = ParameterEncoder(
            arrays: arrays,
            includeNullValues: true,
            nullString: "\u{0}",
            escapesBrackets: escapesBrackets
        )
        let decoder = ParameterDecoder(count: 100_000)
        for step in 0..<300 {
            let parameters = random.parameters(depth: 3, arrays)
            let query = try encoder.encodeParameters(parameters)
            let read = try decoder.parameters(of: query).map { "\($0.name)=\($0.value)" }
            let written = flat(parameters, arrays).map { "\($0.name)=\($0.value)" }
            expect(
                sortedByBytes(read),
                equals: sortedByBytes(written),
                "seed \(seed), step \(step): \(query)"
            )
        }
    }

    @Test func `no query is too much for it`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let parts = ["a", "[", "]", "[]", "[0]", "=", "&", "%", "41", "+", ",", "é", "%5B", "%5D"]
        for _ in 0..<5_000 {
            let query = (0..<random.pick(Array(0..<12))).map { _ in random.pick(parts) }.joined()
            _ = try? ParameterDecoder().parameters(of: query)
        }
    }
}

/// Their bytes: of texts that are equal in Swift, as é in its two forms, each is another parameter.
private func sortedByBytes(_ texts: [String]) -> [[UInt8]] {
    texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
}

/// The names and values of parameters, one for each that a query has.
private func flat(
    _ parameters: AttributeDictionary,
    _ arrays: ParameterArrays
) -> [(name: String, value: String)] {
    parameters.flatMap { flat($0.value, $0.key, arrays) }
}

private func flat(
    _ value: AttributeValue,
    _ name: String,
    _ arrays: ParameterArrays
) -> [(name: String, value: String)] {
    switch value {
    case .dictionary(let members):
        return members.flatMap { flat($0.value, "\(name)[\($0.key)]", arrays) }
    case .array(let elements):
        switch arrays {
        case .indexed:
            return elements.enumerated().flatMap { flat($1, "\(name)[\($0)]", arrays) }
        case .bracketed: return elements.flatMap { flat($0, "\(name)[]", arrays) }
        case .repeated: return elements.flatMap { flat($0, name, arrays) }
        case .commas:
            let values = elements.flatMap { flat($0, name, arrays) }.map(\.value)
            return [(name, values.joined(separator: ","))]
        }
    case .string(let text): return [(name, text)]
    default: return [(name, "\u{0}")]
    }
}

extension SplitMix {
    private mutating func text() -> String {
        let parts = [
            "a", "é", "e\u{301}", " ", "+", "&", "=", "%", ",", "#", "?", "/", "😀", "0", "\n",
        ]
        return (0..<pick([1, 2, 5])).map { _ in pick(parts) }.joined()
    }

    /// Names that are no numbers, with values that come back as they are.
    fileprivate mutating func parameters(
        depth: Int,
        _ arrays: ParameterArrays
    ) -> AttributeDictionary {
        var values: AttributeDictionary = [:]
        for _ in 0..<pick([1, 2, 4]) { values["k" + text()] = value(depth: depth, arrays) }
        return values
    }

    private mutating func value(depth: Int, _ arrays: ParameterArrays) -> AttributeValue {
        switch depth == 0 ? 0 : pick([0, 1, 2, 3]) {
        case 1: return .dictionary(parameters(depth: depth - 1, arrays))
        case 2:
            // Of one element alone some kinds of arrays make that element.
            let least = arrays == .indexed || arrays == .bracketed ? 1 : 2
            let isFlat = arrays != .indexed
            return .array(
                (0..<pick([least, 3])).map { _ in
                    value(depth: isFlat ? 0 : depth - 1, arrays)
                }
            )
        default: return pick([.string(text()), .string(""), .null])
        }
    }
}
