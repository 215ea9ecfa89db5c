import ModelKitFields
import TestSupport
import Testing

/// Computations that throw; observers cannot.
@Suite struct ErrorCaseTests {
    struct Failure: Error, Equatable {
        let number: Int
    }

    let number = Field<Int>(value: 0)

    /// Computes the number, and throws for an odd one.
    private func even() -> Tallied<Int> {
        Tallied { [number] in
            guard let value = number.value, value % 2 == 0 else {
                throw Failure(number: number.value ?? 0)
            }
            return value
        }
    }

    @Test(arguments: [[1, 2], [0, 1, 2, 4], [1, 0, 1, 3, 0]])
    func `it is right after each set, and so is what reads it`(values: [Int]) throws {
        let even = even()
        let double = Computed { try even.computed.get().map { $0 * 2 } }
        for value in values {
            number.value = value
            guard value % 2 == 1 else {
                try expect(double.get(), equals: value * 2)
                try expect(even.computed.get(), equals: value)
                continue
            }
            #expect(throws: Failure(number: value)) { try double.get() }
            #expect(throws: Failure(number: value)) { try even.computed.get() }
        }
        expect(even.runs, equals: values.count)
    }

    @Test(arguments: [false, true])
    func `an error is kept, with an observer or without`(isObserved: Bool) {
        number.value = 1
        let even = even()
        let watched = isObserved ? Watched(even.computed) : nil
        for _ in 0..<3 {
            expect(even.computed.error as? Failure, equals: Failure(number: 1))
        }
        expect(even.runs, equals: 1)
        number.value = 2
        expect(even.value, equals: 2)
        expect(even.runs, equals: 2)
        expect(watched?.received ?? [nil, 2], equals: [nil, 2])
    }

    @Test func `it leaves what reads other fields alone`() {
        let even = even()
        let other = Field<Int>(value: 10)
        let double = Tallied { other.value.map { $0 * 2 } }
        let (first, second) = (Watched(even.computed), Watched(double.computed))
        number.value = 1
        other.value = 20
        expect(double.runs, equals: 2)
        expect(first.received, equals: [0, nil])
        expect(second.received, equals: [20, 40])
    }

    @Test
    func `an observer beside it is notified once, and not for a field that it has not read`() {
        let other = Field<Int>(value: 0)
        let same = Watched { [number] in number.value }
        let broken = Watched(even().computed)
        let last = Watched { [number] in number.value }
        let others = Watched { other.value }
        number.value = 1
        other.value = 1
        expect(broken.received, equals: [0, nil])
        for watched in [same, last, others] { expect(watched.received, equals: [0, 1]) }
    }
}
