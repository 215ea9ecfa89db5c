extension Computed {
    /// The field that brings the value to observers.
    ///
    /// Nobody else may set it.
    final var output: Field<Value> {
        if let output = node.lock.withLock({ node.output }) { return output }
        let made = Field<Value>()
        let details = made.ensureDetails()
        details.upstream = Upstream(node)
        details.reportsDifferences = true
        return node.lock.withLock {
            if let output = node.output { return output }
            // One that has ended keeps none, and will bring no value.
            if node.isDisposed { made.storage = node.value } else { node.output = made }
            return made
        }
    }

    /// Has the fields that are bound to it hold it no longer.
    func releaseTargets() {
        guard let output = node.outputField else { return }
        let bindings = output.lock.withLock { output.details?.bindings ?? [] }
        for binding in bindings { binding.target?.releaseSource(of: output) }
    }
}
