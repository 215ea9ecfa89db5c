import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

private final class Shelf: Model {
    let counts = Field<[String: Int]>().require(.values(.max(10)))
    let dates = Field<[String: Date]>()
    let lists = Field<[String: [Date]]>()
    let nested = Field<[String: [String: Date]]>()
    let several = Field<[String: Date]>()*
    let colors = Field<[String: Color]>()
    let any = Field<AttributeDictionary>()

    static func full() -> Shelf {
        let (one, two) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2.5))
        let shelf = Shelf()
        shelf.counts.value = ["a.b": 1, "": 2, "firstRow": 3]
        shelf.dates.value = ["one": one]
        shelf.lists.value = ["both": [one, two], "none": []]
        shelf.nested.value = ["x": ["two": two], "y": [:]]
        shelf.several.value = [["a": one], [:], ["b": two]]
        shelf.colors.value = ["sky": .blue]
        shelf.any.value = ["n": .null, "d": ["e": [1]]]
        return shelf
    }
}

/// Fields whose values are dictionaries of others.
@Suite struct DictionaryFieldTests {
    static let contexts: [ValueTransformerContext] = {
        var api = ValueTransformerContext(name: "api", keyCase: .snake)
        api.transform(Date.self, with: .epochSeconds)
        return [.default, api]
    }()

    @Test(arguments: contexts)
    func `a dictionary is written and read in every form, and its keys stay`(
        context: ValueTransformerContext
    ) throws {
        let shelf = Shelf.full()
        let dictionary = shelf.dictionaryValue(in: context)
        expect(dictionary["counts"], equals: ["a.b": 1, "": 2, "firstRow": 3])
        let json = try shelf.jsonData(in: context)
        let copies = [
            try Shelf(dictionaryValue: dictionary, in: context),
            try Shelf(json: json, in: context),
            try Shelf(dictionary: shelf.dictionary(in: context), in: context), shelf.copy(),
        ]
        for copy in copies { expect(copy.dictionaryValue(), equals: shelf.dictionaryValue()) }
    }

    @Test func `values in dictionaries have the form that a context gives their type`() {
        let dictionary = Shelf.full().dictionaryValue(in: Self.contexts[1])
        expect(dictionary["dates"], equals: ["one": 1])
        expect(dictionary["lists"], equals: ["both": [1, 2.5], "none": []])
        expect(dictionary["nested"], equals: ["x": ["two": 2.5], "y": [:]])
        expect(dictionary["several"], equals: [["a": 1], [:], ["b": 2.5]])
    }

    @Test(arguments: contexts)
    func `what does not fit has the path of its key`(context: ValueTransformerContext) {
        #expect {
            try Shelf(
                dictionaryValue: [
                    "counts": ["a": 1, "b": 2.5], "dates": ["x": "y"], "lists": ["l": [true]],
                    "nested": ["n": ["m": "z"]], "several": [[:], ["s": false], 3],
                    "colors": ["c": "green"],
                ],
                in: context
            )
        } throws: { error in
            (error as? ImportError)?.issues.map(\.path.description) == [
                "counts.b", "dates.x", "lists.l[0]", "nested.n.m", "several[1].s", "several[2]",
                "colors.c",
            ]
        }
    }

    @Test func `rules of values have the path of the key, and a JSON Schema says them`() {
        let shelf = Shelf()
        expect(shelf.validationIssues().map(\.path.description), equals: [])
        shelf.counts.value = ["a": 11, "b": 5]
        expect(shelf.validationIssues().map(\.path.description), equals: ["counts.a"])
        guard case .dictionary(let root) = JSONSchema(Shelf.self).document,
            case .dictionary(let properties)? = root["properties"],
            case .dictionary(let counts)? = properties["counts"],
            case .dictionary(let values)? = counts["additionalProperties"],
            case .dictionary(let lists)? = properties["lists"],
            case .dictionary(let several)? = properties["several"],
            case .dictionary(let items)? = several["items"]
        else {
            Testing.Issue.record("there are no properties")
            return
        }
        expect(values["type"] == "integer" && values["maximum"] == 10)
        expect(
            lists["additionalProperties"],
            equals: ["type": "array", "items": ["type": "string", "format": "date-time"]]
        )
        expect(items["additionalProperties"], equals: ["type": "string", "format": "date-time"])
    }
}
