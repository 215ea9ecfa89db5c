import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

final class Item: Model {
    let id = Field<Int>()
    let text = Field<String>()
    let number = Field<Double>()
    let isOn = Field<Bool>()
    let tags = Field<String>()*
    let color = Field<Color>()
    let date = Field<Date>()
    let small = Field<Int8>()
    let limited = Field<Int>().constrain(to: 0...9)
    let seconds = Field<Date>().transform(with: .epochSeconds)
    let any = Field<AttributeValue>()
    let first = Field<String>(key: ["fullName", "first"])
    let last = Field<String>(key: ["fullName", "last"])
    let deep = Field<Int>(key: ["a", "b", "c"])
    let accent = Field<String>(key: "é")
    let quoted = Field<Int>(key: "a\"b")
    let child = ModelField<Item>()
    let children = ModelField<Item>()*
}

@Suite struct JSONModelTests {
    /// Reads a text in the way that goes through attribute values.
    private func throughValues(
        _ json: Data,
        in context: ValueTransformerContext,
        _ policy: ImportPolicy
    ) throws -> Item {
        guard case .dictionary(let dictionary) = try AttributeValue(json: json) else {
            throw ImportError(issues: [
                ModelKitFields.Issue(code: "type", message: "must be a JSON object")
            ])
        }
        return try Item(dictionaryValue: dictionary, in: context, policy: policy)
    }

    private func throughValues(
        all json: Data,
        in context: ValueTransformerContext,
        _ policy: ImportPolicy
    ) throws -> [Item] {
        guard case .array(let elements) = try AttributeValue(json: json) else {
            throw ImportError(issues: [])
        }
        var issues: [ModelKitFields.Issue] = []
        var items: [Item] = []
        for (index, element) in elements.enumerated() {
            guard case .dictionary(let dictionary) = element else {
                issues.append(
                    ModelKitFields.Issue(
                        code: "type",
                        path: [.index(index)],
                        message: "must be a dictionary, not \(element.kind)",
                        parameters: ["found": .string(element.kind)]
                    )
                )
                continue
            }
            let report = ImportReport()
            items.append(
                try Item(dictionaryValue: dictionary, in: context, policy: .skipInvalid(report))
            )
            for var issue in report.issues {
                issue.path = FieldPath([.index(index)]).appending(issue.path)
                issues.append(issue)
            }
        }
        if case .skipInvalid(let report) = policy, let report, !issues.isEmpty {
            _ = report
        } else if !issues.isEmpty {
            throw ImportError(issues: issues)
        }
        return items
    }

    private static let contexts: [ValueTransformerContext] = {
        var typed = ValueTransformerContext(
            name: "typed",
            keyCase: .upperCamel,
            explicitNull: false
        )
        typed.transform(Int.self, with: .text)
        typed.transform(Date.self, with: .epochMilliseconds)
        return [.default, ValueTransformerContext(name: "snake", keyCase: .snake), typed]
    }()

    @Test(arguments: 0..<3)
    func `straight to fields and through attribute values come to the same`(context: Int) throws {
        let context = Self.contexts[context]
        var taken = 0
        try withSeed { random in
            for _ in 0..<1_500 {
                let json = Data(text(ofItem: 0, in: context, using: &random).utf8)
                let report = ImportReport(), otherReport = ImportReport()
                let policies: [(ImportPolicy, ImportPolicy)] = [
                    (.strict, .strict), (.skipInvalid(report), .skipInvalid(otherReport)),
                ]
                for (policy, otherPolicy) in policies {
                    let direct = Result { try Item(json: json, in: context, policy: policy) }
                    let other = Result { try throughValues(json, in: context, otherPolicy) }
                    switch (direct, other) {
                    case (.success(let item), .success(let otherItem)):
                        taken += 1
                        let value = AttributeValue.dictionary(item.dictionaryValue())
                        let otherValue = AttributeValue.dictionary(otherItem.dictionaryValue())
                        expect(
                            value.isIdentical(to: otherValue),
                            "\(String(decoding: json, as: UTF8.self))"
                        )
                        let written = try item.jsonData(in: context)
                        let dictionary = item.dictionaryValue(in: context)
                        try expect(
                            written,
                            equals: AttributeValue.dictionary(dictionary).jsonData()
                        )
                        let again = try Item(json: written, in: context)
                        // An array that was set to nil is not empty.
                        if context.explicitNull {
                            try expect(again.jsonData(in: context), equals: written)
                        }
                    case (
                        .failure(let error as ImportError), .failure(let otherError as ImportError)
                    ):
                        expect(
                            error,
                            equals: otherError,
                            "\(String(decoding: json, as: UTF8.self))"
                        )
                    default:
                        Issue.record(
                            "\(direct) but \(other): \(String(decoding: json, as: UTF8.self))"
                        )
                    }
                }
                expect(report.issues, equals: otherReport.issues)
            }
        }
        expect(taken > 200)
    }

    @Test func `arrays come to the same, element by element`() throws {
        try withSeed { random in
            for _ in 0..<500 {
                let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    Int.random(in: 0..<9, using: &random) == 0
                        ? "3" : text(ofItem: 0, in: .default, using: &random)
                }
                let json = Data("[\(elements.joined(separator: ","))]".utf8)
                let direct = Result { try [Item](json: json) }
                let other = Result { try throughValues(all: json, in: .default, .strict) }
                switch (direct, other) {
                case (.success(let items), .success(let others)):
                    expect(items.dictionaryValues(), equals: others.dictionaryValues())
                    let written = try items.jsonData()
                    let dictionaries = items.dictionaryValues().map {
                        AttributeValue.dictionary($0)
                    }
                    try expect(written, equals: AttributeValue.array(dictionaries).jsonData())
                case (.failure(let error as ImportError), .failure(let otherError as ImportError)):
                    expect(error, equals: otherError)
                default: Issue.record("\(direct) but \(other)")
                }
            }
        }
    }

    // Texts of items, mostly right.

    private func text(
        ofItem depth: Int,
        in context: ValueTransformerContext,
        using random: inout SeededGenerator
    ) -> String {
        var text = object(depth, in: context, using: &random)
        // A key that becomes one that no field has lets any number pass.
        let hasWide = ["1e999", "99999999", "12345678"].contains { text.contains($0) }
        if depth == 0, !hasWide, Int.random(in: 0..<5, using: &random) == 0 {
            // Some byte is another one, or missing.
            var bytes = Array(text.utf8)
            let place = Int.random(in: 0..<bytes.count, using: &random)
            if Bool.random(using: &random) {
                bytes[place] = Array("{}[]\",:0a\\ ".utf8).randomElement(using: &random) ?? 0
            } else {
                bytes.remove(at: place)
            }
            text = String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    private func object(
        _ depth: Int,
        in context: ValueTransformerContext,
        using random: inout SeededGenerator
    ) -> String {
        let keyCase = context.keyCase
        var members: [String] = []
        let names = [
            "id", "text", "number", "isOn", "tags", "color", "date", "small", "limited", "seconds",
            "any", "fullName", "a", "é", "a\\\"b", "child", "children", "unknown", "text",
            "e\u{301}",
        ]
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            guard let name = names.randomElement(using: &random) else { continue }
            let value: String
            switch Int.random(in: 0..<40, using: &random) {
            case 0: value = "null"
            case 1: value = anyText(isRead: name != "unknown", using: &random)
            default: value = valueText(of: name, depth, in: context, using: &random)
            }
            let key = keyCase?.key(for: name) ?? name
            let spelled =
                Int.random(in: 0..<20, using: &random) == 0
                ? key.replacing("a", with: "\\u0061") : key
            members.append(" \"\(spelled)\" : \(value)")
        }
        return "{\(members.joined(separator: ","))}"
    }

    private func valueText(
        of name: String,
        _ depth: Int,
        in context: ValueTransformerContext,
        using random: inout SeededGenerator
    ) -> String {
        let isTyped = context.name == "typed"
        let integer = Int.random(in: -3...12, using: &random)
        switch name {
        case "id", "limited": return isTyped ? "\"\(integer)\"" : "\(integer)"
        case "a\\\"b":
            return isTyped
                ? "\"\(integer)\"" : ["1", "2.0", "2e0"].randomElement(using: &random) ?? "1"
        case "small": return "\(integer * 20)"
        case "number":
            return ["1", "1.5", "-0.0", "1e300", "12345678901234567000"].randomElement(
                using: &random
            ) ?? "0"
        case "isOn": return Bool.random(using: &random) ? "true" : "false"
        case "text", "é", "e\u{301}":
            return ["\"\"", "\"x\"", "\"\\n é\"", "\"a longer text that has no escapes\""]
                .randomElement(using: &random) ?? "\"\""
        case "tags":
            return ["[]", "[\"a\"]", "[ \"a\" , \"b\\t\" ]", "[\"a\",1]"].randomElement(
                using: &random
            ) ?? "[]"
        case "color":
            return ["\"red\"", "\"blue\"", "\"green\""].randomElement(using: &random) ?? "\"red\""
        case "date": return isTyped ? "1500" : "\"2026-01-01T00:00:0\(abs(integer) % 10)Z\""
        case "seconds": return "\(integer)"
        case "fullName":
            let key = { (name: String) in context.keyCase?.key(for: name) ?? name }
            return [
                "{\"\(key("first"))\":\"A\"}", "{\"\(key("last"))\":\"B\",\"x\":[]}", "{}", "3",
            ].randomElement(using: &random) ?? "{}"
        case "a":
            let key = { (name: String) in context.keyCase?.key(for: name) ?? name }
            let number = isTyped ? "\"3\"" : "3"
            return [
                "{\"\(key("b"))\":{\"\(key("c"))\":\(number)}}", "{\"\(key("b"))\":{}}",
                "{\"\(key("b"))\":1}",
            ].randomElement(using: &random) ?? "{}"
        case "child" where depth < 3: return object(depth + 1, in: context, using: &random)
        case "children" where depth < 3:
            return "["
                + (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    object(depth + 1, in: context, using: &random)
                }.joined(separator: ",") + "]"
        default: return anyText(isRead: name != "unknown", using: &random)
        }
    }

    /// Numbers beyond those that there are only where they are not skipped.
    private func anyText(isRead: Bool, using random: inout SeededGenerator) -> String {
        let wide = isRead ? ["1e999", "100000000000000000000"] : []
        return
            ([
                "[1,{\"a\":[]}]", "{\"b\":null}", "\"x\"", "7", "1.25", "true", "[\"\\ud800\"]",
            ] + wide)
            .randomElement(using: &random) ?? "0"
    }

    // Places, keys, depth.

    @Test func `what does not fit has its place in the text`() {
        let json = Data("[{\"text\":\"é\"},\n {\"id\":\"x\", \"tags\":[\"a\", 1]},\n 4]".utf8)
        do {
            _ = try [Item](json: json)
            Issue.record("nothing was thrown")
        } catch {
            expect(error.issues.map(\.path.description), equals: ["[1].id", "[1].tags[1]", "[2]"])
            let places = error.places.compactMap { $0 }
            expect(places.map(\.byte), equals: [23, 41, 47])
            expect(places.map(\.line), equals: [2, 2, 3])
            expect(places.map(\.column), equals: [8, 26, 2])
            expect(places.map(\.path), equals: error.issues.map(\.path))
        }
    }

    final class Parcel: Model {
        let size = Field<Int>(key: ["box", "size"])
        let point = Field<Int>()
            .transform(
                with: FieldTransformer(
                    kind: .dictionary,
                    export: { ["x": .int(Int64($0))] },
                    import: { value throws(ModelKitFields.Issue) in
                        guard case .dictionary(let point) = value, case .int(let x)? = point["x"]
                        else {
                            throw ModelKitFields.Issue(
                                code: "missing",
                                path: ["x"],
                                message: "is missing"
                            )
                        }
                        return Int(x)
                    }
                )
            )
        let next = ModelField<Parcel>()
    }

    @Test(arguments: [
        (#"{"next": {"point": {"y": 1}}}"#, 19), (#"{"next": {"point":  7}}"#, 20),
        (#"{"point": {"x": 1}, "point": {}}"#, 29), (#" {"next": {"box": 7}}"#, 18),
    ])
    func `an issue of what is not in the text has the place of what it is missed in`(
        text: String,
        byte: Int
    ) {
        #expect {
            try Parcel(json: Data(text.utf8))
        } throws: { error in
            (error as? ImportError)?.places.map { $0?.byte } == [byte]
        }
        #expect {
            try [Parcel](json: Data("[{},\n\(text)]".utf8))
        } throws: { error in
            (error as? ImportError)?.places.map { $0?.byte } == [byte + 5]
                && (error as? ImportError)?.places.map { $0?.line } == [2]
        }
    }

    @Test func `what is no JSON has its path`() {
        do {
            _ = try [Item](json: Data(#"[{}, {"child": {"tags": ["a", x]}}]"#.utf8))
            Issue.record("nothing was thrown")
        } catch {
            expect(error.places.map { $0?.path.description }, equals: ["[1].child.tags[1]"])
            expect(error.places.map { $0?.byte }, equals: [30])
        }
    }

    @Test(arguments: [
        (#"{"id": 1, "id": 2}"#, 10), (#"{"x": 1, "y": {"z": 1, "z": 2}}"#, 23),
        (#"{"text": "a", "t\u0065xt": "b"}"#, 14),
    ])
    func `a key that comes twice is refused where that is asked for`(text: String, byte: Int) {
        let json = Data(text.utf8)
        #expect(throws: Never.self) { try Item(json: json) }
        let options = JSONOptions(duplicateKeys: .refused)
        do {
            _ = try Item(json: json, options: options)
            Issue.record("nothing was thrown")
        } catch {
            expect(error.description.contains("a key that comes twice"))
            expect(error.places.first??.byte, equals: byte)
        }
        #expect(throws: ImportError.self) {
            try [Item](json: Data("[".utf8) + json + Data("]".utf8), options: options)
        }
    }

    @Test func `the last of several values counts, and nothing is left of the others`() throws {
        let item = try Item(
            json: Data(
                #"{"id": "x", "id": 1, "fullName": {"first": "A"}, "fullName": {}, "color": 3, "color": "red"}"#
                    .utf8
            )
        )
        expect(item.id.value, equals: 1)
        expect(item.first.value, equals: nil)
        expect(item.first.loadState, equals: .notLoaded)
        expect(item.color.value, equals: .red)
    }

    @Test func `fewer levels are allowed where that is asked for`() throws {
        let json = Data(#"{"child": {"child": {"tags": []}}}"#.utf8)
        #expect(throws: Never.self) { try Item(json: json, options: JSONOptions(maximumDepth: 4)) }
        #expect {
            try Item(json: json, options: JSONOptions(maximumDepth: 3))
        } throws: { error in
            "\(error)".contains("it is nested deeper than 3 levels at byte 29")
        }
        expect(JSONOptions(maximumDepth: 1_000).maximumDepth, equals: 512)
        expect(JSONOptions(maximumDepth: -1).maximumDepth, equals: 0)
    }

    @Test(arguments: [15, 16, 17, 60, 511])
    func `models inside of each other are read and written on a small stack`(depth: Int) throws {
        let done = Collector<Bool>()
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            let text =
                String(repeating: #"{"child":"#, count: depth - 1) + "{}"
                + String(repeating: "}", count: depth - 1)
            let item = try? Item(json: Data(text.utf8))
            var inner = item
            for _ in 1..<depth { inner = inner?.child.value }
            let children = try? Item(json: item?.jsonData() ?? Data())
            done.add(inner != nil && children != nil)
            isDone.signal()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        isDone.wait()
        expect(done.values, equals: [true])
    }

    @Test func `models deeper than JSON can say are an error, and a diagnostic in a dictionary`() {
        let item = Item()
        var inner = item
        for _ in 0..<2_000 {
            let next = Item()
            inner.child.value = next
            inner = next
        }
        #expect {
            try item.jsonData()
        } throws: { error in
            "\(error)" == "cannot be written as JSON: it is nested deeper than 512 levels"
        }
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) { _ = item.dictionaryValue() }
        expect(messages.values.map(\.code), equals: [.deepModels])
    }
}
