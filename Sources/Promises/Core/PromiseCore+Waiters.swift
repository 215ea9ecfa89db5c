import ModelKitValues

extension PromiseCore {
    /// Adds a waiter, which is called once: later, or before this returns if the promise is settled,
    /// all earlier ones were called and no handler is running on this thread.
    @usableFromInline
    package final func attach(_ node: PromiseNode) {
        markHandled()
        lock.lock()
        guard phase == .idle || phase == .late else {
            append(node)
            lock.unlock()
            return
        }
        guard let queue = DrainQueue.current else {
            lock.unlock()
            DrainQueue.open { node.fire(node, self, $0) }
            return
        }
        guard phase == .idle else {
            lock.unlock()
            // It can be in one queue, once, and is: another one stands in.
            queue.pointee.push(PromiseCore(standingFor: self, with: node))
            return
        }
        append(node)
        phase = .late
        lock.unlock()
        queue.pointee.push(self)
    }

    /// What a drain queue takes for a late waiter of `source`, whose place there is taken.
    private convenience init(standingFor source: PromiseCore, with node: PromiseNode) {
        self.init(.late)
        let fire = node.fire
        node.fire = { node, _, queue in
            // It may wait again.
            node.fire = fire
            fire(node, source, queue)
        }
        append(node)
    }

    /// Under the lock.
    private final func append(_ node: PromiseNode) {
        let reference = Unmanaged.passRetained(node)
        node.previous = tail
        node.isLinked = true
        if let tail {
            tail._withUnsafeGuaranteedRef { $0.next = reference }
        } else {
            head = reference
        }
        tail = reference
    }

    /// Under the lock; the list's reference to the node is now the caller's to release.
    private final func unlink(_ node: PromiseNode) {
        if let previous = node.previous {
            previous._withUnsafeGuaranteedRef { $0.next = node.next }
        } else {
            head = node.next
        }
        if let next = node.next {
            next._withUnsafeGuaranteedRef { $0.previous = node.previous }
        } else {
            tail = node.previous
        }
        node.next = nil
        node.previous = nil
        node.isLinked = false
    }

    /// Makes the node the first to be called; the promise is draining, on this thread.
    final func prepend(_ node: PromiseNode) {
        let reference = Unmanaged.passRetained(node)
        lock.lock()
        node.next = head
        head = reference
        if tail == nil { tail = reference }
        lock.unlock()
    }

    /// Takes the waiter out; true if that leaves none.
    final func remove(_ node: PromiseNode) -> Bool {
        lock.lock()
        // Once it is settled the drain owns the list, and will call the node.
        guard phase.isPending, node.isLinked else {
            lock.unlock()
            return false
        }
        unlink(node)
        let isUnwanted = head == nil
        lock.unlock()
        node.wasUnlinked()
        Unmanaged.passUnretained(node).release()
        return isUnwanted
    }
}
