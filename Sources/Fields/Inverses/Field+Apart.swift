import ModelKitValues

// A field of a model that is edited in place of another, and takes no part in the relations of others.

extension Field {
    /// Keeps the field out of the relations of others, for good.
    ///
    /// The other side of a key begins as loaded.
    package final func standApart(as shape: InverseShape<Value>, isDerived: Bool) {
        if isDerived { becomeLoaded() }
        install(Inverse(apart: shape, isDerived: isDerived))
    }

    /// Has the other side of a key that stands apart be loaded, if another field is that it follows.
    ///
    /// - Returns: Whether it can have a value; false only where it is to be not loaded.
    final func admitsMembers(_ load: LoadState) -> Bool {
        lock.withLock {
            guard traits.contains(.related), let inverse = state?.inverse, inverse.isDerived,
                inverse.isApart
            else { return true }
            if load == .loaded { inverse.unloaded = nil }
            return load == .loaded
        }
    }
}
