import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct ImportPolicyTests {
    final class Child: Model {
        let name = Field<String>()
        let age = Field<Int>()
    }

    final class Parent: Model {
        let name = Field<String>(value: "unnamed")
        let tags = Field<String>()*
        let numbers = Field<Int>()*
        let dates = Field<Date>().transform(with: .epochSeconds)*
        let digits = Field<Int>().constrain(to: 0...9)*
        let level = Field<Int>().constrain(to: 1...3)
        let child = ModelField<Child>()
        let children = ModelField<Child>()*
    }

    static let dictionary: AttributeDictionary = [
        "name": 7,
        "tags": ["red", 7, nil, "blue"],
        "numbers": [1, 2.5, "x", 3],
        "dates": [1, "x", 2],
        "digits": [1, 12, -1, 3],
        "level": 9,
        "child": ["name": "Kim", "age": "old"],
        "children": [["name": "A", "age": 1], 3, ["name": 4, "age": 2], nil],
    ]

    static let messages = [
        "name must be a string, not an integer",
        "tags[1] must be a string, not an integer",
        "tags[2] must not be null",
        "numbers[1] must be an integer, not 2.5",
        "numbers[2] must be an integer, not a string",
        "dates[1] must be a number, not a string",
        "digits[1] must be at most 9",
        "digits[2] must be at least 0",
        "level must be at most 3",
        "child.age must be an integer, not a string",
        "children[1] must be a dictionary, not an integer",
        "children[2].name must be a string, not an integer",
        "children[3] must not be null",
    ]

    /// The paths, as the words of a domain are those of its rules.
    private func paths(_ issues: [ModelKitFields.Issue]) -> [String] {
        issues.map(\.path.description)
    }

    private static let paths = messages.map { String($0.prefix { $0 != " " }) }

    @Test func `a strict import throws all that is wrong`() {
        let parent = Parent()
        do {
            try parent.read(dictionaryValue: Self.dictionary)
            Issue.record("nothing was thrown")
        } catch {
            expect(paths(error.issues), equals: Self.paths)
            expect(error.issues[1].description, equals: Self.messages[1])
            expect(error.issues[2].description, equals: Self.messages[2])
        }
        expect(parent.name.value, equals: "unnamed")
        expect(parent.tags.value, equals: [])
        expect(parent.child.value, equals: nil)
    }

    @Test func `one that skips takes what fits and reports the rest`() throws {
        let report = ImportReport()
        let parent = try Parent(
            dictionaryValue: Self.dictionary,
            policy: .skipInvalid(report)
        )
        expect(paths(report.issues), equals: Self.paths)
        expect(
            parent.dictionaryValue(),
            equals: [
                "name": "unnamed", "tags": ["red", "blue"], "numbers": [1, 3], "dates": [1, 2],
                "digits": [1, 3], "child": ["name": "Kim"],
                "children": [["name": "A", "age": 1], ["age": 2]],
            ]
        )
        expect(report.description.split(separator: "\n").count, equals: Self.paths.count)
    }

    @Test func `nothing is reported where all fits, and no report is needed`() throws {
        let report = ImportReport()
        _ = try Parent(dictionaryValue: ["name": "x"], policy: .skipInvalid(report))
        expect(report.issues, equals: [])
        _ = try Parent(dictionaryValue: Self.dictionary, policy: .skipInvalid())
    }

    @Test func `arrays of models are read and written`() throws {
        let report = ImportReport()
        let children = try [Child](
            dictionaryValues: [["name": "A"], ["name": 3, "age": 5]],
            policy: .skipInvalid(report)
        )
        expect(children.dictionaryValues(), equals: [["name": "A"], ["age": 5]])
        expect(paths(report.issues), equals: ["[1].name"])
        #expect {
            try [Child](dictionaryValues: [["name": 1], ["age": "x"]])
        } throws: { error in
            (error as? ImportError).map { paths($0.issues) } == ["[0].name", "[1].age"]
        }
    }
}

@Suite struct NativeDictionaryTests {
    final class Thing: Model {
        let text = Field<String>()
        let whole = Field<Int>()
        let real = Field<Double>()
        let flag = Field<Bool>()
        let none = Field<Int>(value: 1)
        let list = Field<Int>()*
        let any = Field<AttributeValue>()
        let date = Field<Date>()
    }

    @Test func `what JSONSerialization makes is read`() throws {
        let json = #"""
            {"text": "é", "whole": 7, "real": 2, "flag": true, "none": null, "list": [1, 2],
             "any": {"a": [true, false, 0, 1, 1.5, null, {"b": []}]}}
            """#
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let dictionary = try #require(object as? [String: Any])
        let thing = try Thing(dictionary: dictionary)
        expect(
            thing.dictionaryValue(),
            equals: [
                "text": "é", "whole": 7, "real": 2.0, "flag": true, "none": nil, "list": [1, 2],
                "any": ["a": [true, false, 0, 1, 1.5, nil, ["b": []]]],
            ]
        )
    }

    @Test func `JSONSerialization takes what is written`() throws {
        let thing = Thing()
        thing.text.value = "x"
        thing.whole.value = .max
        thing.real.value = 0.5
        thing.flag.value = false
        thing.none.value = nil
        thing.any.value = [true, nil, ["k": 1]]
        let dictionary = thing.dictionary()
        expect(dictionary["none"] is NSNull)
        expect(dictionary["flag"] as? Bool, equals: false)
        expect(dictionary["whole"] as? Int, equals: .max)
        let json = try JSONSerialization.data(withJSONObject: dictionary)
        try expect(Thing(json: json).dictionaryValue(), equals: thing.dictionaryValue())
        try expect(Thing(dictionary: dictionary).dictionaryValue(), equals: thing.dictionaryValue())
    }

    @Test func `numbers, booleans and null of Foundation are distinguished`() throws {
        let values: [(Any?, AttributeValue)] = [
            (NSNull(), nil), (nil, nil), (Int?.none as Any, nil), (Int??.some(3) as Any, 3),
            (NSNumber(value: true), true), (NSNumber(value: 1), 1), (NSNumber(value: 0), 0),
            (NSNumber(value: false), false), (NSNumber(value: 1.0), 1.0),
            (NSNumber(value: 1.5), 1.5),
            (NSNumber(value: Int8(1)), 1), (NSNumber(value: UInt64(7)), 7), (true, true), (1, 1),
            (UInt8(5), 5), (Float(0.5), 0.5), ("a", "a"), (NSString(string: "b"), "b"),
            ([1, "a"] as [Any], [1, "a"]), (["a": 1], ["a": 1]), ([1, 2], [1, 2]),
            (NSArray(array: [1]), [1]), (NSDictionary(dictionary: ["a": 1]), ["a": 1]),
            (AttributeValue.int(4), 4), (Data([1]), .data(Data([1]))),
            (Date(timeIntervalSince1970: 1), .date(Date(timeIntervalSince1970: 1))),
            (NSNumber(value: UInt64(1) << 63), .double(0x1p63)), (Color.red, "red"),
            (NSNumber(value: UInt64.max), "18446744073709551615"),
        ]
        for (value, expected) in values {
            let read = try AttributeValue(any: value)
            expect(read, equals: expected, "\(String(describing: value))")
            // An integer equals no double, but a literal may be either.
            expect(read.kind, equals: expected.kind, "\(String(describing: value))")
        }
    }

    @Test func `numbers of every type are read`() throws {
        let values: [(Any, AttributeValue)] = [
            (CGFloat(1.5), 1.5), (Int128(-5), -5), (UInt128(7), 7),
            (Int128(Int64.max) + 1, .double(0x1p63)),
            (UInt128(UInt64.max), "18446744073709551615"),
            (Int128.min + 1, "-170141183460469231731687303715884105727"),
            (UInt64(1) << 63, "9223372036854775808"), ([CGFloat(2)], [2.0]),
            (["a": Int128(1)], ["a": 1]),
        ]
        for (value, expected) in values {
            let read = try AttributeValue(any: value)
            expect(read == expected && read.kind == expected.kind, "\(value)")
        }
        #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
        try expect(AttributeValue(any: Float16(0.5)), equals: .double(0.5))
        #endif
        let thing = try Thing(dictionary: ["whole": Int128(3), "real": CGFloat(0.25)])
        expect(thing.whole.value == 3 && thing.real.value == 0.25)
    }

    final class Opaque {}

    @Test func `what has no form is an issue with its path`() {
        func issue(_ value: [String: Any]) -> String? {
            do {
                _ = try Thing(dictionary: value)
                return nil
            } catch {
                return error.description
            }
        }
        expect(issue(["any": ["a": [1, Opaque()]]]), equals: "any.a[1] must not be Opaque")
        expect(
            issue(["whole": NSNumber(value: true)]),
            equals: "whole must be an integer, not a boolean"
        )
        var deep: Any = 1
        for _ in 0..<600 { deep = [deep] }
        expect(issue(["any": deep])?.hasSuffix("is nested deeper than 512 levels"), equals: true)
    }

    @Test func `many models with several wrong fields take no more time for each`() {
        func time(_ count: Int) -> Duration {
            let wrong = Array(
                repeating: ["id": "x", "text": 1] as AttributeDictionary,
                count: count
            )
            let report = ImportReport()
            return ContinuousClock().measure {
                _ = try? [Item](dictionaryValues: wrong, policy: .skipInvalid(report))
                expect(report.issues.count, equals: 2 * count)
            }
        }
        // By the square, four times as many would take 16 times as long.
        let ratios = (0..<5).map { _ in time(8_000) / time(2_000) }
        expect(ratios.contains { $0 < 9 }, "\(ratios)")
    }
}
