import Foundation
import ModelKitFields
import TestSupport
import Testing

/// In which order computed fields are brought up to date that feed one another by way of bound fields.
@Suite struct ComputedOrderTests {
    /// Formulas of cells, each of which has the value of the one before and a rate in it.
    private struct Sheet {
        let rate = Field<Int>(value: 1)
        let cells: [Field<Int>]
        let formulas: [Computed<Int>]
        let runs = Counter()

        init(_ count: Int) {
            let cells = (0..<count).map { _ in Field<Int>(value: 0) }
            self.cells = cells
            formulas = (0..<count).map { [rate, runs] index in
                Computed { [weak before = index == 0 ? nil : cells[index - 1]] in
                    runs.increment()
                    return (before?.value ?? 0) + (rate.value ?? 0)
                }
            }
        }
    }

    @Test(arguments: [1, 2, 10, 250], [false, true])
    func `a chain of bound fields is right after a set, each evaluated once`(
        length: Int,
        isReversed: Bool
    ) {
        let sheet = Sheet(length)
        let indices = isReversed ? Array((0..<length).reversed()) : Array(0..<length)
        for index in indices { sheet.formulas[index] --> sheet.cells[index] }
        let codes = Log<Diagnostic.Code>()
        let before = sheet.runs.value
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { sheet.rate.value = 2 }
        expect(sheet.cells.map(\.value), equals: (1...length).map { 2 * $0 })
        expect(sheet.runs.value - before, equals: length)
        expect(codes.entries.isEmpty)
        for formula in sheet.formulas { formula.dispose() }
    }

    @Test func `the order is found through further bindings`() {
        let rate = Field<Int>(value: 1)
        let (first, second, third) = (Field<Int>(), Field<Int>(), Field<Int>())
        let runs = Counter()
        let last = Computed { () -> Int? in
            runs.increment()
            return (third.value ?? 0) + (rate.value ?? 0)
        }
        let end = Field<Int>()
        last --> end
        first --> second
        second --> third
        let source = Computed { rate.value.map { $0 * 10 } }
        source --> first
        let before = runs.value
        rate.value = 2
        expect(end.value, equals: 22)
        expect(runs.value - before, equals: 1)
    }

    private struct Bad: Error {}

    @Test func `an error that stays one is not brought to bound fields again`() {
        let source = Field<Int>(value: 1)
        let target = Field<Int>(value: 0)
        let failing = Computed { () throws -> Int? in
            guard let value = source.value, value < 10 else { return source.value }
            throw Bad()
        }
        failing --> target
        let log = Log<Int?>()
        target.observe { log.add($0) }
        expect(target.value, equals: nil)
        target.value = 5
        source.value = 2
        source.value = 3
        expect(target.value, equals: 5)
        expect(log.entries, equals: [nil, 5])
        source.value = 10
        expect(target.value, equals: 10)
        source.value = 4
        expect(target.value, equals: nil)
    }

    @Test func `what the library keeps for a task is known in long chains, too`() {
        let (source, stamped) = (Field<Int>(value: 0), Field<Int>())
        let (known, unknown) = (Counter(), Counter())
        let cycle = Log<Computed<Int>>()
        let bottom = Computed { () -> Int? in
            stamped.value = 1
            return (cycle.entries.first?.value ?? 0) + (source.value ?? 0)
        }
        cycle.add(bottom)
        var last = bottom
        for _ in 0..<30_000 { last = Computed { [last] in last.value } }
        let top = last
        ModelKitDiagnostics.withHandler({ _ in unknown.increment() }) {
            ModelKitDiagnostics.withHandler({ _ in known.increment() }) {
                FieldClock.withCurrent(FieldClock { Date(timeIntervalSince1970: 0) }) {
                    _ = top.value
                }
            }
        }
        expect(known.value, equals: 1)
        expect(unknown.value, equals: 0)
        expect(stamped.updatedAt.map { $0 < Date(timeIntervalSince1970: 1) }, equals: true)
    }

    @Test func `an error that stays one is not carried to bound fields either`() {
        let (source, trigger) = (Field<Int>(value: 1), Field<Int>(value: 0))
        let target = Field<Int>(value: 0)
        let failing = Computed { () throws -> Int? in
            _ = source.value
            throw Bad()
        }
        failing --> target
        source.value = -1
        target.value = 5
        source.value = -2
        let watching = Computed { () -> Int? in
            failing.observe(when: .changes) { (_: Int?) in }
            return trigger.value
        }
        watching.observe { (_: Int?) in }
        expect(target.value, equals: 5)
    }
}
