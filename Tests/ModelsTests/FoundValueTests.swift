import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Issues that say what was found, which may be of any size.
@Suite struct FoundValueTests {
    enum Color: String, AttributeConvertible, CaseIterable, Codable { case red }

    struct Point: Codable, Equatable, Sendable {
        let color: Color
    }

    final class Values: Model {
        let uuid = Field<UUID>()
        let url = Field<URL>()
        let date = Field<Date>()
        let data = Field<Data>()
        let decimal = Field<Decimal>()
        let size = Field<UInt64>()
        let int = Field<Int>()
        let color = Field<Color>()
        let choice = EnumField<Color>()
        let text = Field<Int>().transform(with: .text)
        let point = Field<Point>().transform(with: .codable)
        let own = Field<Int>().transform(
            with: FieldTransformer(export: { .int(Int64($0)) }) {
                found throws(ModelKitFields.Issue) in
                throw ModelKitFields.Issue(
                    message: "is not \(found)",
                    parameters: ["found": .string("\(found)")]
                )
            }
        )
        let names = Field<[String: Int]>()
        let listed = Field<String>().require(.oneOf(["red"]))
    }

    static let long = String(repeating: "9", count: 1_000_000) + "x"

    static let found: [AttributeValue] = [
        .string(long), .string(String(repeating: "9", count: 1_000_000)),
        .string("e" + String(repeating: "\u{301}", count: 500_000)),
        .array(Array(repeating: .int(1), count: 200_000)), .dictionary([long: 1]),
        .data(Data(count: 1_000_000)),
    ]

    @Test(arguments: Values.schema.fields.map(\.name))
    func `no issue carries more of what was found than people read`(name: String) throws {
        for value in Self.found {
            let values = Values()
            var issues: [ModelKitFields.Issue] = []
            do { try values.read(dictionaryValue: [name: value]) } catch { issues = error.issues }
            issues += values.validationIssues()
            for issue in issues {
                expect(issue.message.utf8.count < 3_000, "\(issue.code)")
                expect(issue.description.utf8.count < 5_000, "\(issue.code)")
                let parameters = AttributeValue.dictionary(issue.parameters).description
                expect(parameters.utf8.count < 3_000, "\(issue.code)")
            }
        }
    }

    @Test func `of a long text the first 100 characters are shown`() throws {
        let family = "👩‍👩‍👧"
        let cases: [(text: String, shown: String)] = [
            (String(repeating: "x", count: 100), String(repeating: "x", count: 100)),
            (String(repeating: "é", count: 100), String(repeating: "é", count: 100)),
            (String(repeating: "é", count: 101), String(repeating: "é", count: 100) + "…"),
            // A character is not cut.
            (String(repeating: family, count: 200), String(repeating: family, count: 79) + "…"),
        ]
        for (text, shown) in cases {
            let error = #expect(throws: ImportError.self) {
                try Values(dictionaryValue: ["color": .string(text)])
            }
            expect(error?.issues.first?.parameters, equals: ["value": .string(shown)])
            expect(
                error?.description,
                equals: "color \(shown.debugDescription) is not an allowed value"
            )
        }
    }
}
