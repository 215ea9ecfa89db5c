import ModelKitValues

/// What fields are bound to that hold it for this.
protocol BindingSource: AnyObject, Sendable {
    /// Ends the binding to a field, which dies.
    func unbind(_ target: ObjectIdentifier)

    /// Whether a field brings its value.
    func isSource(of output: AnyField) -> Bool
}

extension Computed: BindingSource {
    func unbind(_ target: ObjectIdentifier) {
        guard let output = node.outputField, let details = output.lock.withLock({ output.details })
        else { return }
        output.unbind(target, details)
    }

    func isSource(of output: AnyField) -> Bool { node.outputField === output }

    /// Has the fields that are bound to it hold it no longer.
    func releaseTargets() {
        guard let output = node.outputField else { return }
        let bindings = output.lock.withLock { output.details?.bindings ?? [] }
        for binding in bindings { binding.target?.release(self) }
    }
}

extension AnyField {
    /// Holds a computed field that this one is bound to, once.
    final func retain(_ source: any BindingSource, _ output: AnyField) {
        if output === self { return }
        let details = ensureDetails()
        lock.withLock {
            if details.retained.contains(where: { $0 === source }) { return }
            details.retained.append(source)
        }
    }

    /// Lets go of the computed field whose value a field brings, which was bound to this one.
    final func releaseSources(of output: AnyField) {
        guard output.lock.withLock({ output.details?.upstream != nil }) else { return }
        let sources = lock.withLock { details?.retained ?? [] }
        // Asked without the lock, as that of a field is taken inside that of a node.
        for source in sources where source.isSource(of: output) { release(source) }
    }

    /// Lets go of a computed field that this one is bound to no longer.
    final func release(_ source: AnyObject) {
        let released = lock.withLock { () -> (any BindingSource)? in
            guard let details,
                let index = details.retained.firstIndex(where: { $0 === source })
            else { return nil }
            return details.retained.remove(at: index)
        }
        withExtendedLifetime(released) {}
    }
}
