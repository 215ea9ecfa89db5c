import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// A class that is first met by objects that are known as the class above it.
///
/// Optimised builds took them for objects of that class. Each case has a class of its own, as the first
/// meeting counts.
@Suite struct FirstMetTests {
    class Shape: ModelObject, @unchecked Sendable {
        let kind = Field<String>()
    }

    final class Circle<Way>: Shape, @unchecked Sendable {
        let radius = Field<Double>().require(.min(0))
    }

    struct Meeting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let radius: @Sendable () throws -> AttributeValue?

        init<Way>(
            _ way: Way.Type,
            _ radius: @escaping @Sendable (Shape) throws -> AttributeValue?
        ) {
            testDescription = "\(way)"
            self.radius = {
                let circle = Circle<Way>()
                (circle.kind.value, circle.radius.value) = ("circle", 2.5)
                return try radius(circle)
            }
        }
    }

    enum Dictionary {}
    enum JSON {}
    enum Coded {}
    enum Copied {}
    enum Drafted {}
    enum ReadDictionary {}
    enum ReadJSON {}
    enum Schema {}

    static let meetings = [
        Meeting(Dictionary.self) { $0.dictionaryValue()["radius"] },
        Meeting(JSON.self) { try AttributeDictionary.of($0.jsonData())["radius"] },
        Meeting(Coded.self) { try AttributeDictionary.of(JSONEncoder().encode($0))["radius"] },
        Meeting(Copied.self) { $0.copy().dictionaryValue()["radius"] },
        Meeting(Drafted.self) { $0.draft().scratch.dictionaryValue()["radius"] },
        Meeting(ReadDictionary.self) { shape in
            try shape.read(dictionaryValue: ["radius": 2.5])
            return shape.dictionaryValue()["radius"]
        },
        Meeting(ReadJSON.self) { shape in
            try shape.read(json: Data(#"{"radius": 2.5}"#.utf8))
            return shape.dictionaryValue()["radius"]
        },
        Meeting(Schema.self) { type(of: $0).schema.entry(named: "radius").map { _ in 2.5 } },
    ]

    @Test(arguments: meetings)
    func `its own fields are there`(meeting: Meeting) throws {
        try expect(meeting.radius(), equals: 2.5)
    }

    @Test func `its own rules are asked`() {
        enum Way {}
        let circle = Circle<Way>()
        circle.radius.value = -1
        let shape: Shape = circle
        expect(shape.validate().isInvalid)
    }
}

extension AttributeDictionary {
    fileprivate static func of(_ json: Data) throws -> AttributeDictionary {
        guard case .dictionary(let dictionary) = try AttributeValue(json: json) else { return [:] }
        return dictionary
    }
}
