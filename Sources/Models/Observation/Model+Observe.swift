public import ModelKitFields

extension Model {
    /// Calls a closure whenever a field changes that a pattern leads to, in this model or in those
    /// inside, or one on the way there.
    ///
    /// ```swift
    /// company.observe("employees.*.name") { change in
    ///     print("\(change.path) is \(change.new ?? "none")")   // employees[2].name is Ada
    /// }
    /// ```
    ///
    /// Models that enter are observed from then on, and those that leave no more; a change of a field
    /// on the way has both. It is delivered after the fields of models that entered are observed: what
    /// is set later is delivered itself. Changes of a model to which several paths lead are delivered once,
    /// with the shortest; if it is at several places of the pattern, once for each. A change that is made
    /// before its model leaves, but would be delivered after that, is not delivered.
    ///
    /// The closure is called as observers of fields are: after a change is stored, on the thread that
    /// set it or one that already delivers others, each field's changes in their order, with no lock held.
    /// Several threads may call it at once. A `batch` notifies once for each field.
    ///
    /// A field that is added to a `ModelObject` later is observed from then on, and is delivered at once if
    /// it has a value.
    ///
    /// It lasts until it is cancelled or this model dies, and keeps no model alive; while others hold all
    /// of the model's observed fields, its death is noticed at their next change. Adding it takes time
    /// for every model that the pattern leads to; a change takes time for those that enter and leave, and
    /// to find the path.
    ///
    /// - Parameters:
    ///   - pattern: The fields; all of this model and of models inside, if none is given. One that
    ///     leads to no field is reported to `ModelKitDiagnostics`, and nothing is observed, unless a
    ///     `ModelObject` may get it.
    ///   - body: Called with each change.
    /// - Returns: What ends it, which may be dropped.
    @discardableResult
    public func observe(
        _ pattern: FieldPattern = [.all],
        _ body: @escaping @Sendable (_ change: ModelChange) -> Void
    ) -> Observation {
        watch(pattern) { change in
            body(change)
            return true
        }
    }

    /// Calls a closure with its owner and each change, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it. That it is gone is
    /// noticed at the next change, or when one of the fields has got many more observers.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: FieldPattern = [.all],
        by owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ change: ModelChange) -> Void
    ) -> Observation {
        watch(pattern, by: owner, ModelChange.handing(to: owner, body))
    }

    /// Observes the fields that a pattern leads to.
    ///
    /// - Parameters:
    ///   - pattern: The fields.
    ///   - owner: With its life it ends, too, as soon as that is noticed.
    ///   - ending: Is called when it ends.
    ///   - body: Is notified of each change, and returns whether it goes on.
    /// - Returns: What ends it.
    func watch(
        _ pattern: FieldPattern,
        by owner: (any AnyObject & Sendable)? = nil,
        ending: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (ModelChange) -> Bool
    ) -> Observation {
        if pattern.leadsToField(of: self) {
            return ModelWatch.start(pattern, of: self, by: owner, ending: ending, body)
        }
        ModelKitDiagnostics.report(
            .refusedPath,
            "\(ownSchema.name) has no field that the pattern leads to",
            field: pattern.description
        )
        let observation = CompositeObservation()
        observation.whenEnded(ending)
        observation.cancel()
        return observation
    }
}

extension ModelChange {
    /// Hands changes to a closure with its owner, and says when that is gone.
    static func handing<Owner: AnyObject & Sendable>(
        to owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ change: ModelChange) -> Void
    ) -> @Sendable (ModelChange) -> Bool {
        { [weak owner] change in
            guard let owner else { return false }
            body(owner, change)
            return true
        }
    }
}

extension Model {
    /// Calls a closure whenever a field of the model in a field changes, or that field.
    ///
    /// ```swift
    /// employee.observe(\.company, \.name) { change in print(change.path) }   // company.name
    /// ```
    @discardableResult
    public func observe<M: Model, Inner: AnyField>(
        _ field: KeyPath<Self, ModelField<M>>,
        _ inner: KeyPath<M, Inner>,
        _ body: @escaping @Sendable (_ change: ModelChange) -> Void
    ) -> Observation {
        observe(pattern(to: self[keyPath: field], [], inner), body)
    }

    /// Calls a closure whenever a field of any model in an array changes, or the array.
    ///
    /// ```swift
    /// company.observe(\.employees, \.name) { change in print(change.path) }   // employees[2].name
    /// ```
    @discardableResult
    public func observe<M: Model, Inner: AnyField>(
        _ field: KeyPath<Self, ModelArrayField<M>>,
        _ inner: KeyPath<M, Inner>,
        _ body: @escaping @Sendable (_ change: ModelChange) -> Void
    ) -> Observation {
        observe(pattern(to: self[keyPath: field], [.each], inner), body)
    }

    private func pattern<M: Model, Inner: AnyField>(
        to field: AnyField,
        _ step: [FieldPattern.Component],
        _ inner: KeyPath<M, Inner>
    ) -> FieldPattern {
        let prototype = M.schema.prototype as? M
        return FieldPattern(
            keys(of: field) + step + (prototype.map { $0.keys(of: $0[keyPath: inner]) } ?? [])
        )
    }

    /// The key of a field of the model, or of one that no model has if it is none.
    private func keys(of field: AnyField) -> [FieldPattern.Component] {
        let entry = allEntries.first { $0.field(in: self) === field }
        return (entry?.key.names ?? [""]).map { .key($0) }
    }
}
