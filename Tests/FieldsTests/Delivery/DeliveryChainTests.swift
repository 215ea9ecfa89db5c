import Dispatch
import Foundation
import ModelKitFields
import TestSupport
import Testing

/// Of what an observer gets, each old value is the new one of the call before, also for one that
/// is added while changes wait.
@Suite struct DeliveryChainTests {
    @Test func `one added while changes wait gets a merged change from where it began`() async {
        let field = Field<Int>(value: 0)
        let first = Log<Step>()
        let second = Log<Step>()
        await ModelKitDiagnostics.withHandler({ _ in }) {
            await blocked(field, first) {
                for value in 1...600 { field.value = value }
                field.observe { old, new in second.add(Step(old, new)) }
                for value in 601...2000 { field.value = value }
            }
        }
        field.value = 2001
        await field.settled()
        expect(second.entries.first, equals: Step(nil, 600))
        expect(isChain(second.entries))
        expect(isChain(first.entries))
        expect(second.entries.last?.new, equals: 2001)
    }

    @Test func `one of changes added then gets a merged change from where it began`() async {
        let field = Field<Int>(value: 0)
        let log = Log<Step>()
        await ModelKitDiagnostics.withHandler({ _ in }) {
            await blocked(field, Log()) {
                for value in 1...600 { field.value = value }
                field.observe(when: .changes) { old, new in log.add(Step(old, new)) }
                for value in 601...2000 { field.value = value }
            }
        }
        expect(log.entries.first?.old, equals: 600)
        expect(isChain(log.entries))
    }

    @Test func `a merged change that ends where it began is no change`() async {
        let field = Field<Int>(value: 0)
        let changes = Log<Step>()
        field.observe(when: .changes) { old, new in changes.add(Step(old, new)) }
        await ModelKitDiagnostics.withHandler({ _ in }) {
            await blocked(field, Log()) {
                for value in 1...1025 { field.value = value == 1025 ? -1 : value }
            }
        }
        expect(changes.entries, equals: [Step(0, -1)])
    }

    @Test func `one added after an endless cut is notified from where it began`() {
        let field = Field<Int>(value: 0)
        let log = Log<Step>()
        let endless = field.observe(when: .changes) { (value: Int?) in
            if let value, value < 5000 { field.value = value + 1 }
        }
        ModelKitDiagnostics.withHandler({ _ in }) { field.value = 1 }
        let held = field.value
        field.observe { old, new in log.add(Step(old, new)) }
        endless.cancel()
        field.value = -1
        expect(log.entries, equals: [Step(nil, held), Step(held, -1)])
    }

    @Test func `settled waits for an observer that is in its first call on another thread`() async {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let end = startWork {
            field.observe { value in
                if value == 0 {
                    entered.signal()
                    leave.wait()
                }
                log.add(value)
            }
        }
        await waiting(for: entered)
        field.value = 1
        field.value = 2
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { leave.signal() }
        await field.settled()
        expect(log.entries, equals: [0, 1, 2])
        expect(end())
    }

    @Test func `what waits for an observer in a long first call is bounded`() {
        let field = Field<Int>(value: 0)
        let log = Log<Step>()
        let codes = Log<Diagnostic.Code>()
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let end = startWork {
            field.observe { old, new in
                if old == nil {
                    entered.signal()
                    leave.wait()
                }
                log.add(Step(old, new))
            }
        }
        entered.wait()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            for value in 1...3000 { field.value = value }
        }
        leave.signal()
        expect(end())
        expect(codes.entries, equals: [.mergedChanges])
        expect(log.count <= 1026)
        expect(isChain(log.entries))
        expect(log.entries.last?.new, equals: 3000)
    }

    /// Runs a closure while an observer of the field waits on another thread.
    private func blocked(
        _ field: Field<Int>,
        _ log: Log<Step>,
        _ body: () -> Void
    ) async {
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let count = Counter()
        field.observe(when: .changes) { old, new in
            log.add(Step(old, new))
            count.increment()
            if count.value == 1 {
                entered.signal()
                leave.wait()
            }
        }
        let end = startWork { field.value = -1 }
        entered.wait()
        body()
        leave.signal()
        expect(end())
        // What is left of a long turn is delivered by another thread.
        await field.settled()
    }

    private func waiting(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}

/// One call of an observer.
struct Step: Equatable, Sendable {
    let old: Int?
    let new: Int?

    init(_ old: Int?, _ new: Int?) {
        self.old = old
        self.new = new
    }
}

/// Whether each step begins where the one before ended.
func isChain(_ steps: [Step]) -> Bool {
    zip(steps, steps.dropFirst()).allSatisfy { $0.new == $1.old }
}
