import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@Suite struct StoredJSONTests {
    @Test(
        arguments: [
            "[]", "[1,2,3]", "[-7,0]", "[\"a\",\"b c\"]", "[\"\"]", "[\"é\",\"日本\"]", "[1,\"1\"]",
            "[999999999999999999]", "[1000000000000000000]", "[9223372036854775807]",
            "[9223372036854775808]", "[-9223372036854775808]", "[1.5]", "[1e3]", "[-0]", "[01]",
            "[-]", "[1,]", "[,1]", "[1 ]", "[ 1]", "[1][", "[", "]", "[\"]", "[\"a]", "[\"a\"b]",
            "[\"a\\n\"]", "[\"a\u{1}\"]", "[\"a\\u0000\"]", "[null]", "[true]", "[[1]]", "[{}]",
            "[\"$string\"]", "{\"a\":1}", "1", "", "[1,2", "1,2]", "[\"a\",]", "[1\"a\"]",
        ]
    )
    func `an array is read as by the reader of JSON`(_ text: String) {
        let read = Result { try StoredJSON.value(of: text) }
        let expected = Result { try AttributeValue(json: Data(text.utf8)) }
        switch (read, expected) {
        case (.success(let value), .success(let other)): expect(value, equals: other)
        case (.failure(let error), .failure(let other)): expect("\(error)", equals: "\(other)")
        default: Issue.record("\(read) is not \(expected)")
        }
    }

    @Test func `any array of integers and texts comes back`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let elements = (0..<Int.random(in: 0...5)).map { _ -> AttributeValue in
                if Bool.random() { return .int(Int64(truncatingIfNeeded: random.next() as UInt64)) }
                let scalars = (0..<Int.random(in: 0...4)).compactMap { _ in
                    Unicode.Scalar(UInt32.random(in: 0...0x2FF))
                }
                return .string(String(String.UnicodeScalarView(scalars)))
            }
            let value = AttributeValue.array(elements)
            let text = try StoredJSON.text(of: value)
            try expect(StoredJSON.value(of: text), equals: value, "\(text)")
        }
    }
}
