import Foundation
import ModelKitFields
import ModelKitREST
import TestSupport
import Testing

@Suite struct ParameterEncoderTests {
    let plain = ParameterEncoder(escapesBrackets: false)

    @Test func `names are inside of brackets, and sorted`() throws {
        let people: AttributeDictionary = [
            "people": [["name": "Bob", "age": 65], ["name": "Alice"]]
        ]
        try expect(
            plain.encodeParameters(people),
            equals: "people[0][age]=65&people[0][name]=Bob&people[1][name]=Alice"
        )
        try expect(plain.encodeParameters(["b": 1, "a": 2, "B": 3]), equals: "B=3&a=2&b=1")
        try expect(plain.encodeParameters([:]), equals: "")
        try expect(plain.encodeParameters(["a": [], "b": [:], "c": [[]]]), equals: "")
    }

    @Test func `brackets are percent-encoded unless they are not to be`() throws {
        try expect(ParameterEncoder().encodeParameters(["a": ["b": 1]]), equals: "a%5Bb%5D=1")
        try expect(plain.encodeParameters(["a": ["b": 1]]), equals: "a[b]=1")
    }

    @Test(arguments: [
        ("New York", "New%20York"), ("a&b=c", "a%26b%3Dc"), ("1+1", "1%2B1"), ("é", "%C3%A9"),
        ("a,b;c/d?e", "a%2Cb%3Bc%2Fd%3Fe"), ("[x]#", "%5Bx%5D%23"), ("%20", "%2520"),
        ("a-._~b", "a-._~b"),
    ])
    func `values are percent-encoded, and names`(text: String, encoded: String) throws {
        try expect(plain.encodeParameters(["q": .string(text)]), equals: "q=" + encoded)
        if text.contains("[") { return }
        try expect(plain.encodeParameters([text: "1"]), equals: encoded + "=1")
    }

    @Test func `nulls are left out, or are a given text`() throws {
        let parameters: AttributeDictionary = ["age": nil, "list": [1, nil, 2], "name": "Bob"]
        try expect(plain.encodeParameters(parameters), equals: "list[0]=1&list[1]=2&name=Bob")
        var encoder = plain
        encoder.includeNullValues = true
        try expect(
            encoder.encodeParameters(parameters),
            equals: "age=&list[0]=1&list[1]=&list[2]=2&name=Bob"
        )
        encoder.nullString = "null"
        try expect(encoder.encodeParameters(["age": nil]), equals: "age=null")
    }

    @Test(arguments: [
        (ParameterArrays.indexed, "t[0]=a&t[1]=b%2Cc"), (.bracketed, "t[]=a&t[]=b%2Cc"),
        (.repeated, "t=a&t=b%2Cc"), (.commas, "t=a,b%2Cc"),
    ])
    func `arrays are written as it is wanted`(arrays: ParameterArrays, query: String) throws {
        let encoder = ParameterEncoder(arrays: arrays, escapesBrackets: false)
        try expect(encoder.encodeParameters(["t": ["a", "b,c"]]), equals: query)
        try expect(encoder.encodeParameters(["t": [nil]]), equals: "")
    }

    @Test func `every kind of value has its text`() throws {
        let parameters: AttributeDictionary = [
            "a": true, "b": 1.5, "c": .data(Data([255])), "e": .int(.min),
            "d": .date(Date(timeIntervalSince1970: 0)),
        ]
        try expect(
            plain.encodeParameters(parameters),
            equals: "a=true&b=1.5&c=%2Fw%3D%3D&d=1970-01-01T00%3A00%3A00Z&e=-9223372036854775808"
        )
    }

    @Test func `what no parameter can be is refused by its name`() {
        func error(_ parameters: AttributeDictionary, _ encoder: ParameterEncoder) -> String? {
            do throws(ParameterError) {
                _ = try encoder.encodeParameters(parameters)
                return nil
            } catch { return error.description }
        }
        expect(error(["a": ["b": .double(.nan)]], plain), equals: "a[b]: is not finite")
        let far = Date(timeIntervalSince1970: .infinity)
        expect(error(["a": .date(far)], plain), equals: "a: is a date that is too far away")
        expect(error(["a": ["x[y]": 1]], plain), equals: "a[x[y]]: is no name of a parameter")
        expect(error(["a": ["": 1]], plain), equals: "a[]: is no name of a parameter")
        for arrays in ParameterArrays.allCases where arrays != .indexed {
            let problem = error(["a": [["b": 1]]], ParameterEncoder(arrays: arrays))
            expect(problem?.hasSuffix(": is in an array, and no single value"), equals: true)
        }
        var deep: AttributeValue = 1
        for _ in 0..<1_000 { deep = .array([deep]) }
        expect(
            error(["a": deep], plain)?.hasSuffix("64 names may be inside of each other"),
            equals: true
        )
    }
}
