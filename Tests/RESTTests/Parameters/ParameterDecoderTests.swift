import ModelKitFields
import ModelKitREST
import ModelKitTesting
import Testing

@Suite struct ParameterDecoderTests {
    @Test func `parameters keep their order, and come as often as they do`() throws {
        let parameters = try ParameterDecoder().parameters(of: "b=2&a=1&&b=x+y%2B&c&d=%26=")
        #expect(parameters.map(\.name) == ["b", "a", "b", "c", "d"])
        #expect(parameters.map(\.value) == ["2", "1", "x y+", "", "&="])
        #expect(parameters["b"] == "2")
        #expect(parameters["x"] == nil)
        #expect(parameters.values(of: "b") == ["2", "x y+"])
        #expect(try ParameterDecoder().parameters(of: "").isEmpty)
        #expect(HTTPRequest(.get, "/p?a=1?b").query == "a=1?b")
        #expect(HTTPRequest(.get, "/p").query == "")
    }

    @Test func `names are inside of each other, with brackets of either kind`() throws {
        let decoder = ParameterDecoder()
        #expect(
            try decoder.decodeParameters("filter[age]=36&filter%5Bname%5D=Bob&x=1")
                == ["filter": ["age": "36", "name": "Bob"], "x": "1"]
        )
        #expect(
            try decoder.decodeParameters("p[1][n]=b&p[0][n]=a") == ["p": [["n": "a"], ["n": "b"]]]
        )
        #expect(try decoder.decodeParameters("p[7]=b") == ["p": ["7": "b"]])
    }

    @Test func `arrays are read as they are written`() throws {
        func decoded(_ arrays: ParameterArrays, _ query: String) throws -> AttributeDictionary {
            try ParameterDecoder(arrays: arrays, nullString: "null").decodeParameters(query)
        }
        #expect(try decoded(.bracketed, "t[]=a&t%5B%5D=b") == ["t": ["a", "b"]])
        #expect(try decoded(.bracketed, "f[t][]=null") == ["f": ["t": [nil]]])
        #expect(try decoded(.repeated, "t=a&t=b&s=c") == ["t": ["a", "b"], "s": "c"])
        #expect(try decoded(.commas, "t=a,b%2Cc,&s=c") == ["t": ["a", "b,c", ""], "s": "c"])
        #expect(try decoded(.indexed, "t=null") == ["t": nil])
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
            #expect(error.description == problem)
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
            #expect(
                try decoder.decodeParameters(query) == parameters,
                "seed \(seed), step \(step): \(query)"
            )
            #expect(try encoder.encodeParameters(parameters) == query)
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
