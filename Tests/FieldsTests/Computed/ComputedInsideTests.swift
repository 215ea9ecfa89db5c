import ModelKitFields
import TestSupport
import Testing

/// Computed fields that are made inside of a computation, and kept by nobody else.
@Suite(.timeLimit(.minutes(10))) struct ComputedInsideTests {
    private let source = Field<Int>(value: 1)

    /// A computed field that is kept by nobody.
    private var doubled: Computed<Int> { Computed { [source] in source.value.map { $0 * 2 } } }

    @Test func `one that a helper makes keeps the outer one right`() {
        let make: @Sendable () -> Computed<Int> = { [source] in
            Computed { source.value.map { $0 * 2 } }
        }
        let outer = Computed { make().value.map { $0 + 1 } }
        expect(outer.value, equals: 3)
        for value in [10, 20, 20, 30] {
            source.value = value
            expect(outer.value, equals: value * 2 + 1)
        }
    }

    @Test func `so does a live array`() {
        let marks = ArrayField(Field<Int>(), value: [3, 8, 5])
        let passed = Computed {
            marks.filtered { $0 >= 5 }.sorted().mapped { $0 * 10 }.value?.count
        }
        expect(passed.value, equals: 2)
        marks.append(9)
        expect(passed.value, equals: 3)
        let log = Log<Int?>()
        passed --> { log.add($0) }
        marks.append(10)
        marks.append(1)
        marks.removeAll { $0 > 5 }
        marks.value = [5, 6, 7]
        expect(log.entries, equals: [3, 4, 1, 3])
    }

    /// Who needs the outer one.
    enum Demand: CaseIterable {
        case nobody, observer, boundField, outerComputed, onMain
    }

    @Test(arguments: Demand.allCases, [1, 2, 5])
    @MainActor func `however deep, and whoever asks`(_ demand: Demand, _ depth: Int) {
        let size = EnumField<Size>(value: .small)
        let outer = Computed { [source] in Self.nested(source, size, depth: depth).value }
        var kept: [Any] = []
        let target = Field<Int>()
        let further = Computed { outer.value }
        let log = Log<Int?>()
        switch demand {
        case .nobody: break
        case .observer: kept.append(outer --> { log.add($0) })
        case .boundField: outer --> target
        case .outerComputed: kept.append(further --> { log.add($0) })
        case .onMain: kept.append(outer.onMain --> { log.add($0) })
        }
        var expected: [Int?] = [1 + depth]
        #expect(outer.value == 1 + depth)
        func expect(_ value: Int) {
            #expect(outer.value == value)
            #expect(further.value == value)
            expected.append(value)
        }
        source.value = 5
        expect(5 + depth)
        size.value = .large
        expect(105 + depth)
        batch {
            source.value = 6
            #expect(outer.value == 106 + depth)
            source.value = 7
            size.value = .small
        }
        expect(7 + depth)
        if demand == .boundField { #expect(target.value == 7 + depth) }
        if ![.nobody, .boundField].contains(demand) { #expect(log.entries == expected) }
        withExtendedLifetime(kept) {}
    }

    private enum Size: String, CaseIterable, Sendable { case small, large }

    private static func nested(
        _ source: Field<Int>,
        _ size: EnumField<Size>,
        depth: Int
    ) -> Computed<Int> {
        if depth == 0 {
            return Computed { (source.value ?? 0) + (size.value == .large ? 100 : 0) }
        }
        return Computed { nested(source, size, depth: depth - 1).value.map { $0 + 1 } }
    }

    @Test func `one that was dropped counts, too, as long as something has read it`() {
        var inner: Computed<Int>? = doubled
        let held = inner.map { inner in
            Computed { [weak inner, source] in
                source.value == 0 ? 0 : inner?.value
            }
        }
        expect(held?.value, equals: 2)
        inner = nil
        source.value = 4
        // It is gone, and the closure finds so as it runs again.
        expect(held?.value, equals: nil)
    }

    @Test func `its observers end with it, and what it was made of with the last who has read it`()
    {
        final class Payload: Sendable {}
        weak var payload: Payload?
        let log = Log<Int?>()
        var outer: Computed<Int>?
        do {
            let made = Payload()
            payload = made
            outer = Computed { [source] in
                let inner = Computed {
                    withExtendedLifetime(made) {}
                    return source.value
                }
                if log.count == 0 { inner --> { log.add($0) } }
                return inner.value
            }
        }
        expect(outer?.value, equals: 1)
        source.value = 2
        expect(log.entries, equals: [1])
        expect(outer?.value, equals: 2)
        expect(payload != nil)
        outer = nil
        expect(payload == nil)
    }

    @Test func `each that is made anew frees the one before`() {
        let made = Counter()
        final class Part: Sendable {
            let count: Counter
            init(_ count: Counter) {
                self.count = count
                count.increment()
            }
            deinit { count.decrement() }
        }
        let list = ArrayField(Field<Int>(), value: [1, 2])
        var outer: Computed<Int>? = Computed { [source] in
            let part = Part(made)
            let inner = Computed {
                withExtendedLifetime(part) {}
                return Computed { source.value }.value
            }
            return (inner.value ?? 0) + (list.filtered { $0 > part.count.value }.value?.count ?? 0)
        }
        for observes in [false, true, false] {
            let observation = observes ? outer.map { $0 --> { (_: Int?) in } } : nil
            for round in 0..<3_000 {
                source.value = round
                _ = outer?.value
            }
            expect(made.value <= 2)
            observation?.cancel()
        }
        outer?.dispose()
        expect(made.value, equals: 0)
        outer = Computed { [source] in
            let part = Part(made)
            return Computed {
                withExtendedLifetime(part) {}
                return source.value
            }.value
        }
        _ = outer?.value
        expect(made.value, equals: 1)
        outer = nil
        expect(made.value, equals: 0)
    }

    @Test func `a cycle through one is reported, heals and leaves nothing behind`() {
        final class Holder: Sendable {
            let closes = Field<Bool>(value: false)
            // Set and read by this thread alone, these two.
            nonisolated(unsafe) weak var computed: Computed<Int>?
            nonisolated(unsafe) weak var mark: Field<Int>?
        }
        let holder = Holder()
        let codes = Log<Diagnostic.Code>()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            let outer = Computed<Int> { [holder, source] in
                let mark = Field<Int>(value: 1)
                holder.mark = mark
                return Computed {
                    guard holder.closes.value == true else { return source.value }
                    return (holder.computed?.value ?? 0) + (mark.value ?? 0)
                }.value
            }
            holder.computed = outer
            expect(outer.value, equals: 1)
            holder.closes.value = true
            _ = outer.value
            expect(codes.entries.contains(.computedCycle))
            holder.closes.value = false
            source.value = 8
            expect(outer.value, equals: 8)
            holder.closes.value = true
            _ = outer.value
            withExtendedLifetime(outer) {}
        }
        expect(holder.computed == nil)
        expect(holder.mark == nil)
    }

    @Test func `a long chain of dropped ones ends without the stack`() {
        var last: Computed<Int>? = doubled
        for _ in 0..<20_000 {
            guard let before = last else { break }
            last = Computed { before.value.map { $0 + 1 } }
        }
        expect(last?.value, equals: 20_002)
        source.value = 2
        expect(last?.value, equals: 20_004)
        last = nil
        expect(source.observerCount, equals: 0)
    }

    @Test func `several threads make and drop them`() async {
        let (source, rounds) = (source, 300)
        let outer = Computed { Computed { Computed { source.value }.value }.value }
        outer --> { (_: Int?) in }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<rounds {
                        source.modify { $0 = ($0 ?? 0) + 1 }
                        _ = outer.value
                    }
                }
            }
        }
        expect(outer.value, equals: 4 * rounds + 1)
    }
}
