public import ModelKitValues

extension Field {
    /// Lets the field hold only values of a domain.
    ///
    /// A set of a value from outside takes the nearest one inside, or nil, as the domain says; so
    /// does a default value, also one that is there already. A value that was set before is replaced,
    /// and stays as old as it is: what a bound field was set to since stays there. What a binding
    /// brings is treated like a set, and what is taken in its place goes back along a binding to
    /// there. A value from a dictionary or from JSON is not replaced: an issue says what is wrong
    /// with it, and the field keeps its value.
    ///
    /// The last domain counts. One of a field that describes the elements of an array holds for
    /// these.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func constrain(to domain: Domain<Value>) -> Self {
        let state = ensureState()
        var given: Domain<Value>? = domain
        lock.withLock {
            swap(&state.domain, &given)
            state.domainChanges += 1
            traits.insert(.domain)
        }
        withExtendedLifetime(given) {}
        constrainValue()
        for array in lock.withLock({ state.arrays }) { array.target?.typed?.takeElementDomain() }
        return self
    }

    /// Lets the field hold only values of a list; a set of another makes it nil.
    @discardableResult
    public final func constrain(to values: [Value]) -> Self {
        constrain(to: .oneOf(values))
    }

    /// The values that the field may hold, if not all.
    public final var domain: Domain<Value>? { lock.withLock { state?.domain } }
}

extension Field where Value: Comparable {
    /// Lets the field hold only values of a range; a set of another takes the end that it has
    /// passed, and one of NaN makes it nil.
    ///
    /// ```swift
    /// let age = Field<Int>().constrain(to: 0...150)
    /// let share = Field<Double>().constrain(to: 0..<1)
    /// ```
    @discardableResult
    public final func constrain(to range: some RuleRange<Value>) -> Self {
        constrain(to: .range(range))
    }
}
