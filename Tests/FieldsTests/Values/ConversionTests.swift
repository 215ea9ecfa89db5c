import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct ConversionTests {
    @Test(arguments: [
        "E621E1 8-C36C-495A-93FC-0C247A3E6E5F", "E621E1+8-C36C-495A-93FC-0C247A3E6E5F",
        " 621E1F8-C36C-495A-93FC-0C247A3E6E5F", "0x21E1F8-C36C-495A-93FC-0C247A3E6E5F",
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5F\0x", "E621E1F8-C36C-495A-93FC-0C247A3E6E5Fx", "",
    ])
    func `a text that is nearly a UUID is refused`(text: String) {
        let error = #expect(throws: Issue.self) { try UUID(attributeValue: .string(text)) }
        expect(error?.message, equals: "must be a UUID, not \(text.debugDescription)")
    }

    @Test func `a UUID is read in either case`() throws {
        let text = "e621e1f8-C36C-495a-93FC-0c247A3E6E5F"
        try expect(UUID(attributeValue: .string(text)).uuidString, equals: text.uppercased())
    }

    @Test(arguments: ["====", "QQ=A", "A===", "=", "QQ", "QQ=", "QQ==QQ==", "QQ==\n", "-_-_", "é"])
    func `a text that is nearly Base64 is refused`(text: String) {
        let error = #expect(throws: Issue.self) { try Data(attributeValue: .string(text)) }
        expect(error, equals: Issue(code: "base64", message: "is not data in Base64"))
    }

    @Test(arguments: [
        ("", []), ("QQ==", [0x41]), ("QUE=", [0x41, 0x41]), ("++//", [251, 239, 255]),
    ])
    func `Base64 is read`(text: String, bytes: [UInt8]) throws {
        try expect(Data(attributeValue: .string(text)), equals: Data(bytes))
    }

    @Test(
        arguments: [
            16_777_216, 16_777_217, -16_777_219, 9_007_199_254_740_993, 1_152_921_504_606_847_000,
            .max, .min, 0,
        ] as [Int64]
    )
    func `a floating-point number is the nearest one of an integer`(number: Int64) throws {
        try expect(Float(attributeValue: .int(number)), equals: Float(number))
        try expect(Double(attributeValue: .int(number)), equals: Double(number))
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, 1e19, -1e300, 0.5, 9_223_372_036_854_775_808,
    ])
    func `a number that is no integer is refused`(number: Double) {
        #expect(throws: Issue.self) { try Int(attributeValue: .double(number)) }
        #expect(throws: Issue.self) { try UInt8(attributeValue: .double(number)) }
    }

    @Test(arguments: ["18446744073709551615", "-9223372036854775809"])
    func `an integer that neither 64 bits nor a double hold is not decoded`(text: String) throws {
        let json = Data(#"{"a": [1, \#(text)]}"#.utf8)
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(AttributeValue.self, from: json)
        }
        guard case .dataCorrupted(let context)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        expect(context.codingPath.map(\.stringValue), equals: ["a", "Index 1"])
    }

    @Test func `a wide number that a double holds is decoded`() throws {
        let json = Data("[18446744073709551616, 1e19, -1e300, 9223372036854775807]".utf8)
        try expect(
            JSONDecoder().decode(AttributeValue.self, from: json),
            equals: [.double(0x1p64), .double(1e19), .double(-1e300), .int(.max)]
        )
    }

    @Test(arguments: [-1.512124997112035e19, 9.223372036854778e18, 1.2345678901234568e29])
    func `a double that is a wide integer is decoded as it was encoded`(number: Double) throws {
        let json = try JSONEncoder().encode([AttributeValue.double(number)])
        try expect(JSONDecoder().decode(AttributeValue.self, from: json), equals: [.double(number)])
    }
}
