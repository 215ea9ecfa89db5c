import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// What an export does where there are more ways through models than models.
@Suite(.timeLimit(.minutes(10))) struct ExportLimitTests {
    final class Rung: Model {
        let id = Field<Int>()
        let left = ModelField<Rung>()
        let right = ModelField<Rung>()

        /// A rung whose sides are one other, whose sides are one other.
        static func ladder(_ count: Int) -> Rung {
            let rungs = (0..<count).map { index in
                let rung = Rung()
                rung.id.value = index
                return rung
            }
            for (rung, next) in zip(rungs, rungs.dropFirst()) {
                rung.left.value = next
                rung.right.value = next
            }
            return rungs[0]
        }
    }

    @Test func `a ladder of diamonds is written up to a limit, and a diagnostic says so`() {
        let diagnostics = Collector<Diagnostic>()
        let dictionary = ModelKitDiagnostics.withHandler({ diagnostics.add($0) }) {
            Rung.ladder(30).dictionaryValue()
        }
        expect(dictionary["id"], equals: 0)
        expect(diagnostics.values.map(\.code), equals: [.deepModels])
        expect(diagnostics.values.first?.message.contains("share others too often"), equals: true)
    }

    @Test func `a ladder of diamonds is no JSON, alone or in an array`() {
        let message =
            "cannot be written as JSON: models share others so often that there would be too many"
        let error = ImportError(issues: [ModelKitFields.Issue(code: "json", message: message)])
        #expect(throws: error) { try Rung.ladder(30).jsonData() }
        #expect(throws: error) { try [Rung.ladder(2), Rung.ladder(30)].jsonData() }
    }

    @Test func `a short ladder is written whole, as JSON and as a dictionary`() throws {
        let ladder = Rung.ladder(10)
        let value = AttributeValue.dictionary(ladder.dictionaryValue())
        try expect(AttributeValue(json: ladder.jsonData()), equals: value)
        var (open, count) = ([value], 0)
        while case .dictionary(let rung)? = open.popLast() {
            count += 1
            open += [rung["left"], rung["right"]].compactMap(\.self)
        }
        expect(count, equals: 1023)
    }

    final class Product: Model { let name = Field<String>() }

    final class Line: Model {
        let product = ModelField<Product>()
        let number = Field<Int>()
    }

    final class Order: Model { let lines = ModelField<Line>()* }

    @Test func `however many share one model, it is written with each`() throws {
        let order = Order(), product = Product()
        product.name.value = "nail"
        order.lines.value = (0..<100_000).map { _ in
            let line = Line()
            line.product.value = product
            return line
        }
        let text = String(decoding: try order.jsonData(), as: UTF8.self)
        expect(text.hasSuffix(#"{"product":{"name":"nail"}}]}"#))
        expect(text.utf8.count, equals: 28 * 100_000 - 1 + #"{"lines":[]}"#.utf8.count)
    }

    final class Friend: Model {
        let name = Field<String>()
        let friends = ModelField<Friend>()*
    }

    @Test func `an element is written as if it were alone, also the last of many`() throws {
        let friends = (0..<5).map { index in
            let friend = Friend()
            friend.name.value = "\(index)"
            return friend
        }
        for friend in friends { friend.friends.value = friends }
        let alone = friends[0].dictionaryValue()
        let all = Array(repeating: friends[0], count: 100)
        let data = try AttributeValue(json: all.jsonData())
        expect(data, equals: .array(Array(repeating: .dictionary(alone), count: 100)))
        expect(all.dictionaryValues().allSatisfy { $0 == alone })
        // Also of one model, where each circle stands for itself.
        let circle = Circle()
        circle.members.value = (0..<100).map { _ in
            let others = (0..<5).map { _ in Friend() }
            for friend in others { friend.friends.value = others }
            return others[0]
        }
        guard case .array(let members)? = circle.dictionaryValue()["members"] else {
            Issue.record("no members")
            return
        }
        expect(members.count == 100 && members.allSatisfy { $0 == members[0] })
    }

    final class Circle: Model { let members = ModelField<Friend>()* }

    final class Ring: Model {
        let second = ModelField<Ring>()
        let id = Field<Int>()
        let first = ModelField<Ring>(key: ["inner", "z"])
        let also = ModelField<Ring>(key: ["inner", "a"])
        let many = ModelField<Ring>()*
    }

    @Test func `a cycle is cut at the same model in JSON and in a dictionary`() throws {
        try withSeed { random in
            for _ in 0..<300 {
                let rings = (0..<4).map { index in
                    let ring = Ring()
                    ring.id.value = index
                    return ring
                }
                for ring in rings {
                    func other() -> Ring? {
                        Bool.random(using: &random) ? rings.randomElement(using: &random) : nil
                    }
                    ring.second.value = other()
                    ring.first.value = other()
                    ring.also.value = other()
                    ring.many.value = [other(), other()].compactMap(\.self)
                }
                let upper = ValueTransformerContext(name: "upper", keyCase: .upperCamel)
                for context in [.default, upper] {
                    let written = try AttributeValue(json: rings[0].jsonData(in: context))
                    expect(written, equals: .dictionary(rings[0].dictionaryValue(in: context)))
                }
            }
        }
    }
}
