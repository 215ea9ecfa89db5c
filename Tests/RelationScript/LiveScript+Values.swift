import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport

/// The live values that a script looks at.
package enum LiveValues: Sendable {
    case none
    /// Those that commits move by what they change.
    case exact
    /// Those that are asked for again.
    case others
}

extension LiveScript {
    func valueMirrors(_ values: LiveValues, of store: any RecordModelStore) -> [any ValueMirroring]
    {
        switch values {
        case .none: []
        case .exact: exactValues(store)
        case .others: otherValues(store)
        }
    }

    private func exactValues(_ store: any RecordModelStore) -> [any ValueMirroring] {
        let type = Item.self
        return [
            ValueMirror("count", store.observe(count: type)) { store.count(type) },
            ValueMirror("open", store.observe(count: type, where: \.isOpen == true)) {
                store.count(type, where: \.isOpen == true)
            },
            ValueMirror("by rank", store.observe(count: type, by: \.rank)) {
                store.count(type, by: \.rank)
            },
            ValueMirror("sum of ranks", store.observe(sum: \.rank, of: type)) {
                store.sum(type, of: \.rank)
            },
            ValueMirror(
                "sum of ranks by name",
                store.observe(sum: \.rank, of: type, by: \.name, where: \.isOpen == true)
            ) {
                store.sum(type, of: \.rank, by: \.name, where: \.isOpen == true)
            },
            ValueMirror("prices", store.observe(sum: \.price, of: type, where: \.rank > 1)) {
                store.sum(type, of: \.price, where: \.rank > 1)
            },
            ValueMirror("prices by rank", store.observe(sum: \.price, of: type, by: \.rank)) {
                store.sum(type, of: \.price, by: \.rank)
            },
            ValueMirror("average price", store.observe(average: \.price, of: type)) {
                store.average(type, of: \.price)
            },
            ValueMirror("average rank", store.observe(average: \.rank, of: type)) {
                store.average(type, of: \.rank)
            },
        ]
    }

    private func otherValues(_ store: any RecordModelStore) -> [any ValueMirroring] {
        let type = Item.self
        return [
            ValueMirror("weight", store.observe(sum: \.weight, of: type)) {
                store.sum(type, of: \.weight)
            },
            ValueMirror("least", store.observe(min: \.name, of: type)) {
                store.min(type, of: \.name)
            },
            ValueMirror(
                "shared",
                store.observe(count: type, where: .has(\.folder, \.isShared == true))
            ) {
                store.count(type, where: .has(\.folder, \.isShared == true))
            },
        ]
    }
}

protocol ValueMirroring: Sendable {
    var name: String { get }
    /// Waits until the value is the one that is found anew.
    func check(_ comment: String) async throws
}

/// The last value of a live value.
final class ValueMirror<Value: Sendable & Equatable>: ValueMirroring {
    let name: String
    private final class Log: Sendable {
        let values = Guarded<[Result<Value, any Error>]>([])

        var all: [Value] { get throws { try values.withLock { $0 }.map { try $0.get() } } }
    }

    private let log: Log
    private let task: Task<Void, Never>
    private let find: @Sendable () -> Promise<Value>

    init(
        _ name: String,
        _ live: LiveValue<Value>,
        _ find: @escaping @Sendable () -> Promise<Value>
    ) {
        (self.name, self.find) = (name, find)
        let log = Log()
        self.log = log
        task = Task {
            do {
                for try await value in live { log.values.withLock { $0.append(.success(value)) } }
            } catch {
                log.values.withLock { $0.append(.failure(error)) }
            }
        }
    }

    deinit { task.cancel() }

    func check(_ comment: String) async throws {
        let expected = try await find().value
        let end = ContinuousClock.now + .seconds(1_800)
        while try log.all.last != expected, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(1))
        }
        let values = try log.all
        expect(values.last, equals: expected, comment)
        expect(zip(values, values.dropFirst()).allSatisfy { $0 != $1 }, comment)
    }
}
