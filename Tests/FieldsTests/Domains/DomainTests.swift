import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct DomainTests {
    @Test func `a computed value is made of the default value that the domain has replaced`() {
        let field = Field<Int>(value: 50)
        let same = Computed { field.value }
        expect(same.value, equals: 50)
        field.constrain(to: 0...10)
        expect(same.value, equals: 10)
    }

    @Test func `who observes or is bound to that value is notified`() {
        let field = Field<Int>(value: 50)
        let same = Computed { field.value }
        let log = Log<Int?>()
        same.observe { log.add($0) }
        let bound = Field<Int>()
        same --> bound
        field.constrain(to: 0...10)
        expect(log.entries, equals: [50, 10])
        expect(bound.value, equals: 10)
    }

    @Test func `a set beyond a range takes the end it has passed`() {
        let field = Field<Int>().constrain(to: 0...10)
        field.value = 50
        expect(field.value, equals: 10)
        field.value = -1
        expect(field.value, equals: 0)
        field.value = 7
        expect(field.value, equals: 7)
        field.value = nil
        expect(field.value, equals: nil)
        expect(field.domain?.constraint, equals: .all([.minimum(0), .maximum(10)]))
    }

    @Test func `ranges may be open at one end`() {
        func taken<Value: Comparable & Sendable>(
            _ value: Value,
            by range: some RuleRange<Value>
        ) -> Value? {
            let field = Field<Value>().constrain(to: range)
            field.value = value
            return field.value
        }
        expect(taken(-5, by: 0...), equals: 0)
        expect(taken(5, by: ...3), equals: 3)
        expect(taken(5, by: 0..<3), equals: 2)
        expect(taken(5, by: ..<3), equals: 2)
        expect(taken(1.5, by: 0..<1), equals: (1.0).nextDown)
        expect(taken("z", by: "a"..."m"), equals: "m")
        expect(taken("z", by: "a"..<"m"), equals: nil, "no text is the last before another")
        let end = Date(timeIntervalSinceReferenceDate: 1000)
        expect(taken(end, by: ..<end).map { $0 < end }, equals: true)
    }

    @Test func `an empty range holds nothing, also at the ends of a type`() {
        let field = Field<Int>(value: 1).constrain(to: 5..<5)
        expect(field.value, equals: nil)
        field.value = 5
        expect(field.value, equals: nil)
        let low = Field<Int8>(value: 1).constrain(to: ..<(.min))
        low.value = .min
        expect(low.value, equals: nil)
    }

    @Test func `NaN is in no range and becomes nil`() {
        let field = Field<Double>(value: .nan).constrain(to: 0...1)
        expect(field.value, equals: nil)
        field.value = 0.5
        field.value = .nan
        expect(field.value, equals: nil)
        field.value = .infinity
        expect(field.value, equals: 1)
    }

    @Test func `a date or a decimal that is none is in no range and becomes nil`() {
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        let (first, last) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 9))
        let date = Field<Date>(value: never).constrain(to: first...last)
        expect(date.value?.timeIntervalSince1970, equals: nil)
        date.value = .distantPast
        date.value = never
        expect(date.value?.timeIntervalSince1970, equals: nil)
        let decimal = Field<Decimal>(value: 3).constrain(to: 1...5)
        decimal.value = .nan
        expect(decimal.value, equals: nil)
        decimal.value = -3
        expect(decimal.value, equals: 1)
    }

    @Test func `a set outside of a list makes it nil`() {
        let field = Field<String>(value: "green").constrain(to: ["red", "blue"])
        expect(field.value, equals: nil)
        field.value = "red"
        expect(field.value, equals: "red")
        field.value = "pink"
        expect(field.value, equals: nil)
    }

    @Test func `a domain of one's own takes what it likes`() {
        let short = Domain<String>(.maxLength(3)) { String($0.prefix(3)) }
        let field = Field<String>().constrain(to: short)
        field.value = "abcdef"
        expect(field.value, equals: "abc")
        expect(short.contains("abc"))
        expect(!short.contains("abcd"))
    }

    @Test func `a default value is constrained quietly, a set one by a set`() {
        let field = Field<Int>(value: 50).constrain(to: 0...10)
        expect(field.value, equals: 10)
        expect(field.updatedAt, equals: nil)
        expect(field.loadState, equals: .notLoaded)
        field.value = 8
        let time = field.updatedAt
        let log = Log<Int?>()
        field.observe { log.add($0) }
        field.constrain(to: 0...9)
        expect(field.updatedAt, equals: time, "what is inside stays")
        field.constrain(to: 0...5)
        expect(field.value, equals: 5)
        expect(field.updatedAt != time)
        expect(log.entries, equals: [8, 5])
    }

    @Test func `observers see what was taken, and equal results are no change`() {
        let field = Field<Int>(value: 10).constrain(to: 0...10)
        let changes = Log<[Int?]>()
        field.observe(when: .changes) { old, new in changes.add([old, new]) }
        field.value = 50
        field.value = -3
        field.modify { $0 = 99 }
        expect(changes.entries, equals: [[10, 0], [0, 10]])
    }

    @Test func `an element outside of the inner field's domain is left out or replaced`() {
        let colors = Field<String>().constrain(to: ["red", "blue"])*
        colors.value = ["red", "green", "blue"]
        expect(colors.value, equals: ["red", "blue"])
        expect(!colors.append("pink"))
        expect(colors.append("red"))
        expect(colors.value, equals: ["red", "blue", "red"])
        expect(colors.remove(at: 0))
        let digits = Field<Int>(value: 12).constrain(to: 0...9)*
        expect(digits.value, equals: [9])
        digits.value = [-1, 5, 44]
        expect(digits.value, equals: [0, 5, 9])
        expect(digits.append(10))
        expect(digits.value, equals: [0, 5, 9, 9])
    }

    @Test func `an array may have a domain of its own`() {
        let three = Domain<[Int]>(.maxItems(3)) { Array($0.prefix(3)) }
        let numbers = Field<Int>()*
        numbers.constrain(to: three)
        numbers.value = [1, 2, 3, 4]
        expect(numbers.value, equals: [1, 2, 3])
        expect(!numbers.append(5))
        expect(numbers.remove(at: 0))
        expect(numbers.append(5))
        expect(numbers.value, equals: [2, 3, 5])
    }

    @Test func `the closure of a domain runs with no lock held`() {
        let field = Field<Int>(value: 1)
        field.constrain(
            to: Domain(Rule { [weak field] _ in field?.value == nil }) { [weak field] _ in
                field?.value
            }
        )
        field.value = 7
        expect(field.value, equals: 1)
    }

    @Test func `sets and a new domain from two threads leave nothing outside`() {
        for _ in 0..<200 {
            let field = Field<Int>(value: 0).constrain(to: 0...100)
            let wait = startThread { for value in 0..<50 { field.value = value * 10 } }
            field.constrain(to: 0...5)
            wait()
            expect((0...5).contains(field.value ?? -1))
        }
    }

    @Test
    func `observers of a default value that is constrained are notified with the next change`() {
        let field = Field<Int>(value: 50)
        let log = Log<[Int?]>()
        field.observe(when: .changes) { old, new in log.add([old, new]) }
        let array = ArrayField(Field<Int>(), value: [1, 2, 3])
        let mirror = Mirror<Int>()
        array.observeEdits { mirror.follow($0) }
        field.constrain(to: 0...10)
        array.constrain(to: Domain(.maxItems(2)) { Array($0.prefix(2)) })
        field.value = 3
        array.value = [1, 9]
        expect(log.entries, equals: [[50, 3]])
        expect(mirror.elements, equals: [1, 9])
        expect(mirror.faults.isEmpty)
    }
}
