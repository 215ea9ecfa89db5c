public import Dispatch
import ModelKitValues

/// Where a handler runs.
///
/// ```swift
/// let number = download(url).map(on: .queue(queue)) { page in try parse(page) }
/// ```
///
/// Handlers of one promise are handed to their executors in the order in which they were added, when
/// the promise is settled; later ones at once, those of one thread in their order. If an executor drops a job, the step
/// fails with ``PromiseError/broken``.
public struct PromiseExecutor: Sendable {
    @usableFromInline let execute: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Runs handlers on a queue.
    public static func queue(_ queue: DispatchQueue) -> PromiseExecutor {
        PromiseExecutor { job in queue.async(execute: job) }
    }

    /// Runs handlers on the main queue.
    ///
    /// A closure that needs main-actor isolation says so by its type: see ``Promise/onMain``.
    public static let main = queue(.main)

    /// Runs handlers by a closure that is given a job, to be run once.
    public static func custom(
        _ execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> PromiseExecutor {
        PromiseExecutor(execute: execute)
    }
}

extension PromiseNode {
    /// Makes the node fire on the executor; before it is attached to anything.
    @usableFromInline
    final func hop(to executor: PromiseExecutor) {
        let fire = self.fire
        self.fire = { node, source, _ in
            // The step may live on, and the executor know it: no reference back is kept.
            node.fire = fire
            let job = HandlerJob(node, source, fire)
            executor.execute { job.run() }
        }
    }
}

/// A handler on its way through an executor: run once, or noticed to have been dropped.
private final class HandlerJob: Sendable {
    private let node: Guarded<PromiseNode?>
    private let source: PromiseCore
    private let fire: PromiseNode.Fire

    init(_ node: PromiseNode, _ source: PromiseCore, _ fire: @escaping PromiseNode.Fire) {
        self.node = Guarded(node)
        self.source = source
        self.fire = fire
    }

    func run() {
        guard let node = node.withLock({ $0.take() }) else { return }
        DrainQueue.run { fire(node, source, $0) }
    }

    deinit {
        node.withLock { $0.take() }?.wasDropped()
    }
}
