import Foundation
import Dispatch
import ModelKitFields
import TestSupport
import Testing

@Suite struct DomainBindingTests {
    @Test func `what a target takes instead goes back to the source`() {
        let source = Field<Int>(value: 1)
        let target = Field<Int>(value: 2).constrain(to: 0...10)
        source <--> target
        let log = Log<Int?>()
        source.observe { log.add($0) }
        source.value = 50
        expect(target.value, equals: 10)
        expect(source.value, equals: 10)
        expect(log.entries, equals: [2, 50, 10])
    }

    @Test func `of several that take another value the last goes back first`() {
        let hub = Field<Int>(value: 0)
        let low = Field<Int>(value: 0).constrain(to: 0...10)
        let high = Field<Int>(value: 0).constrain(to: 0...20)
        hub <--> low
        hub <--> high
        let log = Log<Int?>()
        hub.observe { log.add($0) }
        hub.value = 50
        expect(log.entries, equals: [0, 50, 20, 10])
        expect([low.value, high.value], equals: [10, 10])
    }

    @Test func `many that take the same value instead set the source once more`() {
        let hub = Field<Int>(value: 0)
        let fields = (0..<20).map { _ in Field<Int>(value: 0).constrain(to: 0...10) }
        for field in fields { hub <--> field }
        let log = Log<Int?>()
        hub.observe { log.add($0) }
        hub.value = 50
        expect(log.entries, equals: [0, 50, 10])
        expect(fields.map(\.value), equals: Array(repeating: 10, count: 20))
    }

    @Test func `a target bound one way sends on what it takes`() {
        let source = Field<Int>(value: 99)
        let target = Field<Int>().constrain(to: 0...10)
        let last = Field<Int>()
        source --> target --> last
        expect([source.value, target.value, last.value], equals: [99, 10, 10])
        source.value = 42
        expect([source.value, target.value, last.value], equals: [42, 10, 10])
        source.value = 3
        expect([source.value, target.value, last.value], equals: [3, 3, 3])
    }

    @Test func `both start with what the other can take`() {
        let left = Field<Int>(value: 1).constrain(to: 0...10)
        let right = Field<Int>(value: 20)
        left <--> right
        expect(left.value, equals: 10)
        expect(right.value, equals: 10)
    }

    @Test func `fields whose domains overlap come to a common value`() {
        let hub = Field<Int>(value: 0)
        let fields = [0...10, 5...20, 2...15, -3...30].map {
            Field<Int>(value: 7).constrain(to: $0)
        }
        let log = Log<Diagnostic>()
        ModelKitDiagnostics.withHandler({ log.add($0) }) {
            for field in fields { hub <--> field }
            for value in [30, -5, 7, 1000, -1000, 12] {
                hub.value = value
                let expected = min(max(value, 5), 10)
                expect(hub.value, equals: expected)
                expect(fields.map(\.value), equals: [expected, expected, expected, expected])
            }
        }
        expect(log.entries.isEmpty)
    }

    @Test func `domains without a common value come to rest, with a diagnostic`() {
        let low = Field<Int>(value: 1).constrain(to: 0...5)
        let high = Field<Int>(value: 12, name: "high").constrain(to: 10...20)
        let log = Log<Diagnostic>()
        ModelKitDiagnostics.withHandler({ log.add($0) }) {
            low <--> high
            log.clear()
            low.value = 3
        }
        expect(log.entries.map(\.code), equals: [.disjointDomains])
        expect(log.entries.first?.field, equals: "high")
        expect(low.value, equals: 5)
        expect(high.value, equals: 10)
        high.removeObserver(low)
        low.value = 2
        expect(high.value, equals: 10)
    }

    @Test func `lists without a common value end at nil`() {
        let left = Field<String>().constrain(to: ["x"])
        let right = Field<String>().constrain(to: ["y"])
        left <--> right
        left.value = "x"
        expect(left.value, equals: nil)
        expect(right.value, equals: nil)
        right.value = "y"
        expect(left.value, equals: nil)
        expect(right.value, equals: nil)
    }

    @Test func `a ring of constrained fields comes to rest from several threads`() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed:", seed)
        let fields = (0..<5).map { Field<Int>(value: 50).constrain(to: $0...100 - $0) }
        for index in 0..<5 { fields[index] <--> fields[(index + 1) % 5] }
        let log = Log<Diagnostic>()
        ModelKitDiagnostics.withHandler({ log.add($0) }) {
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                var random = SplitMix(seed: seed &+ UInt64(thread))
                for _ in 0..<1000 {
                    fields[Int.random(in: 0..<5, using: &random)].value =
                        Int.random(in: -100...200, using: &random)
                }
            }
        }
        expect(Set(fields.map(\.value)).count, equals: 1)
        expect((4...96).contains(fields[0].value ?? 0))
    }

    @Test func `a long chain of constrained fields works on a small stack`() {
        onSmallStack {
            let fields = (0..<20_000).map { Field<Int>(value: 0).constrain(to: 0...30_000 - $0) }
            for (source, target) in zip(fields, fields.dropFirst()) { source --> target }
            fields[0].value = 40_000
            expect(fields[0].value, equals: 30_000)
            expect(fields[19_999].value, equals: 10_001)
        }
    }

    @Test func `a default value that is constrained reaches fields that are bound already`() {
        let (source, target) = (Field<Int>(value: 50), Field<Int>())
        source --> target
        source.constrain(to: 0...10)
        expect([source, target].map(\.value), equals: [10, 10])
        expect(source.loadState, equals: .notLoaded)
    }

    @Test func `the time of a clock that is behind goes on behind a field that clamps`() {
        let (source, middle, last) = (
            Field<Int>(), Field<Int>().constrain(to: 0...10), Field<Int>()
        )
        source --> middle
        middle --> last
        source.value = 1
        let past = Date(timeIntervalSince1970: 0)
        FieldClock.withCurrent(FieldClock { past }) { source.value = 50 }
        expect(last.value, equals: 10)
        expect([middle, last].map(\.updatedAt), equals: [past, past])
    }
}
