import Foundation
import ModelKitFields
import Observation
import TestSupport
import Testing

@Suite struct FieldTrackingTests {
    @Test func `an observed read is notified of the next change, after it is stored`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        withObservationTracking {
            _ = field.observed
        } onChange: {
            log.add(field.value)
        }
        field.value = 2
        field.value = 3
        expect(log.entries, equals: [2])
    }

    @Test func `an equal set is not reported`() {
        let field = Field<Int>(value: 1)
        let count = Counter()
        withObservationTracking {
            _ = field.observed
        } onChange: {
            count.increment()
        }
        field.value = 1
        expect(count.value, equals: 0)
        field.value = 2
        expect(count.value, equals: 1)
    }

    @Test func `a set in what is called for a change is not lost and does not nest`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        @Sendable func track() {
            withObservationTracking {
                log.add(field.observed)
            } onChange: {
                if let value = field.value, value < 5 { field.value = value + 1 }
                track()
            }
        }
        track()
        field.value = 2
        expect(log.entries.first, equals: 1)
        expect(log.entries.last, equals: 5)
        expect(field.value, equals: 5)
    }

    @Test func `it is no observer that anybody sees or removes`() {
        let field = Field<Int>(value: 1)
        let count = Counter()
        withObservationTracking {
            _ = field.observed
        } onChange: {
            count.increment()
        }
        expect(field.observerCount, equals: 0)
        field.removeAllObservers()
        field.value = 2
        expect(count.value, equals: 1)
    }

    @Test func `a field that was tracked is freed`() {
        weak var weakly: Field<Int>?
        do {
            let field = Field<Int>(value: 1)
            weakly = field
            withObservationTracking {
                _ = field.observed
            } onChange: {
            }
        }
        expect(weakly == nil)
    }

    @Test func `in a batch it is notified once, at the end`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        withObservationTracking {
            _ = field.observed
        } onChange: {
            log.add(field.value)
        }
        batch {
            field.value = 2
            field.value = 3
        }
        expect(log.entries, equals: [3])
    }

    @Test func `a computed field is tracked by its value`() {
        let number = Field<Int>(value: 1)
        let isEven = Computed { number.value.map { $0 % 2 == 0 } }
        let log = Log<Bool?>()
        withObservationTracking {
            _ = isEven.observed
        } onChange: {
            log.add(isEven.value)
        }
        number.value = 3
        expect(log.entries, equals: [])
        number.value = 4
        expect(log.entries, equals: [true])
    }

    @Test func `a computed field that was tracked runs for two changes, not for all that follow`() {
        let number = Field<Int>(value: 1)
        let runs = Counter()
        let double = Computed { () -> Int? in
            runs.increment()
            return number.value.map { $0 * 2 }
        }
        let count = Counter()
        withObservationTracking {
            _ = double.observed
        } onChange: {
            count.increment()
        }
        for value in 2...6 { number.value = value }
        expect(count.value, equals: 1)
        expect(runs.value, equals: 3)
        expect(double.observerCount, equals: 0)
    }

    @Test func `whoever asks again when notified is notified of the next change, too`() {
        let number = Field<Int>(value: 1)
        let double = Computed { number.value.map { $0 * 2 } }
        let log = Log<Int?>()
        @Sendable func track() {
            withObservationTracking {
                log.add(double.observed)
            } onChange: {
                track()
            }
        }
        track()
        for value in 2...4 { number.value = value }
        expect(log.entries, equals: [2, 4, 6, 8])
    }

    @Test func `a plain read is not tracked before that is switched on`() async {
        await #expect(processExitsWith: .success) {
            let field = Field<Int>(value: 1)
            let full = Computed { field.value.map { $0 * 2 } }
            let count = Counter()
            func track() {
                withObservationTracking {
                    _ = field.value
                    _ = full.value
                } onChange: {
                    count.increment()
                }
            }
            track()
            field.value = 2
            guard count.value == 0, !FieldTracking.isEnabled else { exit(1) }
            FieldTracking.enable()
            guard FieldTracking.isEnabled else { exit(2) }
            track()
            field.value = 3
            exit(count.value == 1 ? EXIT_SUCCESS : 3)
        }
    }
}
