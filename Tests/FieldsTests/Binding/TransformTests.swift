import Dispatch
import Foundation
import ModelKitFields
import TestSupport
import Testing

private struct NotANumber: LocalizedError {
    var errorDescription: String? { "must be a number" }
}

private func parsed(_ text: String?) throws -> Int? {
    guard let text else { return nil }
    guard let number = Int(text) else { throw NotANumber() }
    return number
}

private func text(_ number: Int?) -> String? { number.map { "\($0)" } }

@Suite struct TransformTests {
    @Test func `a target takes what is made of the source's value`() {
        let name = Field<String>(value: "Ada")
        let length = Field<Int>(value: 9)
        let returned = name.bind(to: length) { $0?.count }
        expect(returned === length)
        expect(length.value, equals: 3)
        name.value = "Grace"
        expect(length.value, equals: 5)
        length.value = 1
        expect(name.value, equals: "Grace", "it does not flow back")
        name.value = nil
        expect(length.value, equals: nil)
    }

    @Test func `both ways the first one's value begins, and what was written stays as written`() {
        let input = Field<String>(value: "007")
        let age = Field<Int>(value: 5)
        let mirror = Field<Int>()
        age --> mirror
        input.bind(to: age, forward: parsed, backward: text)
        expect(age.value, equals: 7)
        expect(input.value, equals: "007")
        let log = Log<String?>()
        input.observe { log.add($0) }
        input.value = "0042"
        expect(age.value, equals: 42)
        expect(mirror.value, equals: 42)
        age.value = 8
        expect(input.value, equals: "8")
        expect(log.entries, equals: ["007", "0042", "8"])
        expect(age.updatedAt, equals: input.updatedAt)
    }

    @Test func `no closure is called for an echo`() {
        let count = Counter()
        let left = Field<Int>(value: 1)
        let right = Field<String>()
        let mirror = Field<String>()
        right --> mirror
        left.bind(to: right, forward: text) {
            count.increment()
            return try parsed($0)
        }
        left.value = 2
        expect(count.value, equals: 0)
        right.value = "3"
        expect(count.value, equals: 1)
        expect(left.value, equals: 3)
    }

    @Test func `one that throws leaves the other side alone and makes this side invalid`() {
        let input = Field<String>(value: "1").require("must be short") { $0.count < 3 }
        let age = Field<Int>()
        input.bind(to: age, forward: parsed, backward: text)
        input.value = "many"
        expect(age.value, equals: 1)
        expect(input.validationState, equals: .invalid(["must be a number"]))
        expect(input.issues.map(\.code), equals: ["conversion"])
        expect(input.validate(), equals: .invalid(["must be short", "must be a number"]))
        expect(input.validationState, equals: .invalid(["must be short", "must be a number"]))
        input.value = "2"
        expect(age.value, equals: 2)
        expect(input.validationState, equals: .unknown)
        expect(input.validate(), equals: .valid)
        expect(age.validate(), equals: .valid)
    }

    @Test func `a value that the other side sends makes it valid again`() {
        let input = Field<String>(value: "x")
        let age = Field<Int>(value: 3)
        input.bind(to: age, forward: parsed, backward: text)
        expect(age.value, equals: 3)
        expect(input.value, equals: "x")
        expect(input.validationState, equals: .invalid(["must be a number"]))
        expect(input.validate(), equals: .invalid(["must be a number"]))
        age.value = 4
        expect(input.value, equals: "4")
        expect(input.validate(), equals: .valid)
    }

    @Test func `an issue that is thrown is taken as it is, backwards, too`() {
        let whole = Field<Int>(value: 1)
        let half = Field<Double>()
        let refusal = Issue(code: "whole", path: ["x"], message: "must be whole")
        whole.bind(to: half, forward: { $0.map(Double.init) }) { value throws(Issue) in
            guard let value else { return nil }
            guard let number = Int(exactly: value) else { throw refusal }
            return number
        }
        half.value = 2.5
        expect(whole.value, equals: 1)
        expect(half.issues, equals: [refusal])
        half.value = 3
        expect(whole.value, equals: 3)
        expect(half.issues.isEmpty)
    }

    @Test func `what the target takes in place of a value comes back`() {
        let input = Field<String>(value: "5")
        let age = Field<Int>().constrain(to: 0...10)
        input.bind(to: age, forward: parsed, backward: text)
        input.value = "0099"
        expect(age.value, equals: 10)
        expect(input.value, equals: "10")
    }

    @Test func `domains without a common value come to rest through transforms`() {
        let low = Field<Int>(value: 1).constrain(to: 0...5)
        let high = Field<Double>(value: 12).constrain(to: 10...20)
        let log = Log<Diagnostic>()
        ModelKitDiagnostics.withHandler({ log.add($0) }) {
            _ = low.bind(
                to: high,
                forward: { $0.map(Double.init) },
                backward: { $0.map { Int($0) } }
            )
        }
        expect(log.entries.map(\.code), equals: [.disjointDomains])
        expect(low.value, equals: 5)
        expect(high.value, equals: 10)
    }

    @Test func `the last binding to a field counts, and it can be ended`() {
        let source = Field<Int>(value: 1)
        let target = Field<Int>()
        source --> target
        source.bind(to: target) { $0.map { $0 * 10 } }
        expect(source.observerCount, equals: 1)
        source.value = 2
        expect(target.value, equals: 20)
        source.bind(to: target) { $0.map { $0 * 100 } }
        expect(target.value, equals: 200)
        expect(source.observerCount, equals: 1)
        source -/-> target
        source.value = 3
        expect(target.value, equals: 200)
        source --> target
        expect(target.value, equals: 3)
    }

    @Test func `a field is not bound to itself by a transform`() {
        let field = Field<Int>(value: 1, name: "age")
        let log = Log<Diagnostic>()
        ModelKitDiagnostics.withHandler({ log.add($0) }) {
            field.bind(to: field) { $0.map { $0 + 1 } }
            field.bind(to: field, forward: { $0 }, backward: { $0 })
        }
        expect(log.entries.map(\.code), equals: [.selfBinding, .selfBinding])
        expect(field.value, equals: 1)
        expect(field.observerCount, equals: 0)
    }

    @Test func `transforms keep neither field alive`() {
        let source = Field<Int>(value: 1)
        weak var weakTarget: Field<String>?
        do {
            let target = Field<String>()
            weakTarget = target
            source.bind(to: target, forward: text, backward: parsed)
        }
        expect(weakTarget == nil)
        source.value = 2
        let target = Field<String>()
        weak var weakSource: Field<Int>?
        do {
            let source = Field<Int>(value: 3)
            weakSource = source
            source.bind(to: target, forward: text, backward: parsed)
        }
        expect(weakSource == nil)
        expect(target.value, equals: "3")
        target.value = "4"
    }

    @Test func `the closures may use the fields, as no lock is held`() {
        let source = Field<Int>(value: 1)
        let target = Field<String>(value: "a")
        source.bind(
            to: target,
            forward: { [weak source, weak target] in
                "\(target?.value ?? "")\(source?.value ?? 0)\($0 ?? 0)"
            }
        )
        expect(target.value, equals: "a11")
        source.value = 2
        expect(target.value, equals: "a1122")
    }

    @Test func `a chain of 100 000 transforms works on a 512 KiB stack`() {
        onSmallStack {
            let numbers = (0..<50_000).map { _ in Field<Int>(value: 0) }
            let texts = (0..<50_000).map { _ in Field<String>(value: "") }
            for index in 0..<50_000 {
                numbers[index].bind(to: texts[index], forward: text)
                if index > 0 { texts[index - 1].bind(to: numbers[index], forward: parsed) }
            }
            let log = Log<String?>()
            texts[49_999].observe(when: .changes) { log.add($0) }
            numbers[0].value = 7
            expect(texts[49_999].value, equals: "7")
            expect(log.entries, equals: ["7"])
        }
    }

    @Test func `observers find all fields updated, in a cycle of types, too`() {
        let number = Field<Int>(value: 0)
        let real = Field<Double>(value: 0)
        let word = Field<String>(value: "")
        number.bind(to: real) { $0.map(Double.init) }
        real.bind(to: word) { $0.map { "\(Int($0))" } }
        word.bind(to: number) { $0.flatMap { Int($0) } }
        let log = Log<String>()
        number.observe(when: .changes) { log.add("\(number) \(real) \(word)") }
        number.value = 5
        word.value = "6"
        expect(log.entries, equals: ["5 5.0 \"5\"", "6 6.0 \"6\""])
    }

    @Test func `writes on both sides from several threads converge`() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed:", seed)
        let numbers = (0..<3).map { _ in Field<Int>(value: 0) }
        let word = Field<String>(value: "0")
        for number in numbers {
            number.bind(
                to: word,
                forward: text,
                backward: parsed
            )
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = SplitMix(seed: seed &+ UInt64(thread))
            for step in 0..<500 {
                let index = Int.random(in: 0...3, using: &random)
                if index == 3 { word.value = "\(step)" } else { numbers[index].value = step }
            }
        }
        let expected = word.value
        for number in numbers { expect(text(number.value), equals: expected) }
    }

    @Test func `a field that is bound while a value is on its way to its source gets that value`() {
        let (source, middle, last) = (Field<Int>(value: 0), Field<Int>(), Field<Int>())
        let length = Field<String>()
        source.bind(to: middle) { value in
            if value == 1 {
                middle --> last
                middle.bind(to: length) { $0.map { String($0) } }
            }
            return value
        }
        source.value = 1
        expect([source, middle, last].map(\.value), equals: [1, 1, 1])
        expect(length.value, equals: "1")
    }

    @Test func `what a touch says of the inside of a value goes on behind a transform`() {
        let (source, middle, last) = (
            Field<CountedBox>(value: CountedBox()), Field<CountedBox>(), Field<CountedBox>()
        )
        source.bind(to: middle) { $0 }
        middle --> last
        let count = Computed { last.value?.count.value }
        let notifications = Counter()
        last.observe(when: .changes) { notifications.increment() }
        expect(count.value, equals: 0)
        source.value?.count.increment()
        source.touch()
        expect(count.value, equals: 1)
        expect(notifications.value, equals: 1)
        expect(last.changedAt, equals: source.changedAt)
    }

    @Test(.timeLimit(.minutes(10)), arguments: [false, true])
    func `a pair whose transforms bind something comes to an end, set or touched`(
        isTouched: Bool
    ) {
        let (left, right) = (Field<CountedBox>(value: CountedBox()), Field<CountedBox>())
        let (leftCopy, rightCopy) = (Field<CountedBox>(), Field<CountedBox>())
        left.value = CountedBox()
        left.bind(
            to: right,
            forward: { value in
                right --> rightCopy
                return value
            },
            backward: { value in
                left --> leftCopy
                return value
            }
        )
        let counts = [right, leftCopy, rightCopy].map { field in
            Computed { field.value?.count.value }
        }
        expect(counts[0].value, equals: 0)
        for (count, source) in [(1, right), (2, left)] {
            if isTouched {
                left.value?.count.increment()
                source.touch()
            } else {
                let box = CountedBox()
                for _ in 0..<count { box.count.increment() }
                source.value = box
            }
            expect(counts.map(\.value), equals: [count, count, count])
            expect([right, leftCopy, rightCopy].allSatisfy { $0.value === left.value })
        }
    }

    @Test func `what was typed stays although the other field is bound meanwhile`() {
        let (text, number, copy) = (Field<String>(), Field<Int>(value: 1), Field<Int>())
        text.bind(
            to: number,
            forward: { text in
                number --> copy
                return text.flatMap { Int($0) }
            },
            backward: { $0.map { String($0) } }
        )
        text.value = "007"
        expect(text.value, equals: "007")
        expect([number.value, copy.value], equals: [7, 7])
        number.value = 8
        expect(text.value, equals: "8")
        expect(copy.value, equals: 8)
    }
}
