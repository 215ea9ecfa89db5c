// The tests in this folder follow the cases of johnsoncodehk/reactive-framework-test-suite.

import ModelKitFields

/// A computed field that counts how often its computation runs.
final class Tallied<Value: Equatable & Sendable>: Sendable {
    let computed: Computed<Value>
    private let counter: Counter

    init(_ body: @escaping @Sendable () throws -> Value?) {
        let counter = Counter()
        self.counter = counter
        computed = Computed {
            counter.increment()
            return try body()
        }
    }

    var value: Value? { computed.value }
    var runs: Int { counter.value }
}

/// A computed field, and an observer that records what it receives.
///
/// There is no effect that tracks what it reads: the computation does that, and its observer acts on the
/// result.
final class Watched<Value: Equatable & Sendable>: Sendable {
    let computed: Computed<Value>
    let observation: Observation
    private let log = Log<Value?>()

    init(_ computed: Computed<Value>) {
        self.computed = computed
        observation = computed.observe { [log] in log.add($0) }
    }

    convenience init(_ body: @escaping @Sendable () throws -> Value?) {
        self.init(Computed(body))
    }

    var received: [Value?] { log.entries }
}

/// Calls a closure when it is released.
final class Last: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}
