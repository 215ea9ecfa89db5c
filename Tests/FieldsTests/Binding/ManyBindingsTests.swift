import Foundation
import ModelKitFields
import TestSupport
import Testing

/// One field with very many bound fields or observers.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ManyBindingsTests {
    /// What is done n times with one field.
    enum Work: CaseIterable {
        case bind, bindTwice, unbind, transform, clamp, leave, leaveBackwards
    }

    private final class Owner: ObservationOwner {}

    private func time(_ work: Work, _ count: Int) -> Duration {
        let source = Field<Int>(value: 0)
        let fields = (0..<count).map { Field<Int>(value: $0) }
        let owners = (0..<count).map { _ in Owner() }
        let ends = work == .clamp ? fields.map { _ in Field<Int>() } : []
        switch work {
        case .bind, .transform: break
        case .clamp:
            for (field, end) in zip(fields, ends) {
                source --> field.constrain(to: 0...100)
                field --> end
            }
        case .bindTwice, .unbind: for field in fields { source --> field }
        case .leave, .leaveBackwards: for owner in owners { source --> owner { (_: Int?) in } }
        }
        let time = ContinuousClock().measure {
            switch work {
            case .bind, .bindTwice: for field in fields { source --> field }
            case .transform: for field in fields { source.bind(to: field) { $0.map { $0 + 1 } } }
            case .unbind: for field in fields.reversed() { source -/-> field }
            case .clamp: source.value = 200
            case .leave: for owner in owners { source -/-> owner }
            case .leaveBackwards: for owner in owners.reversed() { source -/-> owner }
            }
        }
        expect(ends.allSatisfy { $0.value == 100 })
        source.value = 5
        switch work {
        case .bind, .bindTwice:
            expect(source.observerCount, equals: count)
            expect(fields.allSatisfy { $0.value == 5 })
        case .transform: expect(fields.allSatisfy { $0.value == 6 })
        case .clamp: expect(ends.allSatisfy { $0.value == 5 })
        case .unbind:
            expect(source.observerCount, equals: 0)
            expect(fields.allSatisfy { $0.value == 0 })
        case .leave, .leaveBackwards: expect(source.observerCount, equals: 0)
        }
        return time
    }

    // What runs beside it would be measured, too.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["MODELKIT_TEST_ALONE"] != nil),
        arguments: Work.allCases
    )
    func `the time of each does not grow with their number`(_ work: Work) {
        // By the square, eight times as many would take 64 times as long.
        let ratios = (0..<5).map { _ in time(work, 8_000) / time(work, 1_000) }
        expect(ratios.contains { $0 < 24 }, "\(ratios)")
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func `whatever is bound, bound again, freed and unbound, the right ones follow`(_ seed: UInt64)
    {
        var random = SplitMix(seed: seed)
        let source = Field<Int>(value: 0)
        var fields = (0..<100).map { _ in Field<Int>(value: -1) }
        var bound: [Int: Int] = [:]
        for step in 1...2_000 {
            let index = Int.random(in: 0..<100, using: &random)
            let field = fields[index]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8:
                source --> field
                bound[index] = 0
            case 8..<10:
                source.bind(to: field) { $0.map { $0 + 1_000_000 } }
                bound[index] = 1_000_000
            case 10..<16:
                source -/-> field
                bound[index] = nil
            case 16:
                fields[index] = Field<Int>(value: -1)
                bound[index] = nil
            case 17 where step % 50 == 0:
                source.removeAllObservers()
                bound = [:]
            default: source.value = step
            }
        }
        for field in fields { field.value = -1 }
        source.value = 9
        let seen = fields.map { $0.value ?? 0 }
        let expected = (0..<100).map { bound[$0].map { $0 + 9 } ?? -1 }
        expect(seen, equals: expected, "seed \(seed)")
    }

    @Test func `what the closure of a binding holds is released as it ends`() {
        let source = Field<Int>(value: 0)
        let fields = (0..<100).map { _ in Field<Int>() }
        let count = Counter()
        final class Part: Sendable {
            let count: Counter
            init(_ count: Counter) {
                self.count = count
                count.increment()
            }
            deinit { count.decrement() }
        }
        for field in fields {
            let part = Part(count)
            source.bind(to: field) { value in withExtendedLifetime(part) { value } }
        }
        for field in fields.prefix(40) { source -/-> field }
        expect(count.value, equals: 60)
        for field in fields.suffix(30) { source --> field }
        expect(count.value, equals: 30)
        source.removeAllObservers()
        expect(count.value, equals: 0)
    }

    @Test func `of many owners each ends its own, and tokens theirs`() {
        let source = Field<Int>(value: 0)
        let log = Log<Int>()
        let owners = (0..<100).map { _ in Owner() }
        for (index, owner) in owners.enumerated() {
            source --> owner { (_: Int?) in log.add(index) }
            source --> owner { (_: Int?) in log.add(index + 1_000) }
        }
        let token = source.observe { log.add(5_000) }
        let scoped = source.observe { log.add(6_000) }.scoped()
        source -/-> owners[3]
        source -/-> token
        source -/-> scoped
        let again = owners[3]
        source --> again { (_: Int?) in log.add(3) }
        source -/-> owners[50]
        source -/-> owners[50]
        log.clear()
        source.value = 1
        let left: [Int] = (0..<100).filter { $0 != 3 && $0 != 50 }
        var expected: [Int] = []
        for index in left { expected += [index, index + 1_000] }
        expected.append(3)
        expect(log.entries, equals: expected)
        withExtendedLifetime((token, scoped, owners)) {}
    }
}
