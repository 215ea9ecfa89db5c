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

    @Test func `names are inside of each other, with brackets of either kind`() throws {
        let decoder = ParameterDecoder()
        try expect(
            decoder.decodeParameters("filter[age]=36&filter%5Bname%5D=Bob&x=1"),
            equals: ["filter": ["age": "36", "name": "Bob"], "x": "1"]
        )
        try expect(
            decoder.decodeParameters("p[1][n]=b&p[0][n]=a"),
            equals: ["p": [["n": "a"], ["n": "b"]]]
        )
        try expect(decoder.decodeParameters("p[7]=b"), equals: ["p": ["7": "b"]])
    }

    @Test func `arrays are read as they are written`() throws {
        func decoded(_ arrays: ParameterArrays, _ query: String) throws -> AttributeDictionary {
            try ParameterDecoder(arrays: arrays, nullString: "null").decodeParameters(query)
        }
        try expect(decoded(.bracketed, "t[]=a&t%5B%5D=b"), equals: ["t": ["a", "b"]])
        try expect(decoded(.bracketed, "f[t][]=null"), equals: ["f": ["t": [nil]]])
        try expect(decoded(.repeated, "t=a&t=b&s=c"), equals: ["t": ["a", "b"], "s": "c"])
        try expect(decoded(.commas, "t=a,b%2Cc,&s=c"), equals: ["t": ["a", "b,c", ""], "s": "c"])
        try expect(decoded(.indexed, "t=null"), equals: ["t": nil])
        #expect(throws: ParameterError(.ambiguous, name: "t")) {
            try decoded(.bracketed, "t[]=a&t[b]=c")
        }
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
        ("[a]=1", "[a]: is no name of a parameter"),
        ("a[b=1", "a[b: is no name of a parameter"),
        ("a]=1", "a]: is no name of a parameter"),
        ("a[b]c=1", "a[b]c: is no name of a parameter"),
        ("a[[b]]=1", "a[[b]]: is no name of a parameter"),
        ("a[]=1", "a[]: is no name of a parameter"),
        ("a=1&a=2", "a: comes several times"),
        ("a=1&a[b]=2", "a: comes several times"),
        ("x[a][b]=1&x[a][b]=2", "x[a][b]: comes several times"),
        ("a[b][c][d]=1", "a[b][c][d]: 3 names may be inside of each other"),
        ("a&b&c&d&e", "e: there may be 4 parameters"),
        ("a=12345678901234567890123456789012345", "the query may have 32 bytes"),
    ])
    func `what is wrong is said of the parameter`(query: String, problem: String) {
        do throws(ParameterError) {
            _ = try ParameterDecoder(count: 4, depth: 3, length: 32).decodeParameters(query)
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
        let decoder = ParameterDecoder(arrays: arrays, nullString: "\u{0}", count: 100_000)
        for step in 0..<300 {
            let parameters = random.parameters(depth: 3, arrays)
            let query = try encoder.encodeParameters(parameters)
            try expect(
                decoder.decodeParameters(query),
                equals: parameters,
                "seed \(seed), step \(step): \(query)"
            )
            try expect(encoder.encodeParameters(parameters), equals: query)
        }
    }

    @Test func `no query is too much for it`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let parts = ["a", "[", "]", "[]", "[0]", "=", "&", "%", "41", "+", ",", "é", "%5B", "%5D"]
        for _ in 0..<5_000 {
            let query = (0..<random.pick(Array(0..<12))).map { _ in random.pick(parts) }.joined()
            for arrays in ParameterArrays.allCases {
                _ = try? ParameterDecoder(arrays: arrays).decodeParameters(query)
            }
        }
        let deep = "a" + String(repeating: "[a]", count: 20_000)
        #expect(throws: ParameterError.self) { try ParameterDecoder().decodeParameters(deep) }
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
