extension IdentityMap {
    /// Where an object stands for a model: its own object, as a copy of a weak reference costs more than
    /// to follow it.
    ///
    /// It is used under the lock of its map only.
    package final class Place {
        package let key: Key
        @exclusivity(unchecked) package private(set) weak var model: (any Model)?
        /// What object it was, also when that is gone.
        package let identity: ObjectIdentifier
        /// What a store keeps of the object.
        @exclusivity(unchecked) package var note: AnyObject?
        /// The import that reads the model and is the only one to have seen it.
        @exclusivity(unchecked) weak var reader: DeferredLinks?
        /// The places where it stands for classes that its own inherits from.
        var bases: [Key] = []
        /// Where it stands among those that the map does not find by their objects yet.
        @exclusivity(unchecked) var slot: Int?

        /// The object, which others than an import have seen from now on.
        package func show() -> (any Model)? {
            if reader != nil { reader = nil }
            return model
        }

        init(_ model: any Model, _ key: Key) {
            self.model = model
            self.key = key
            identity = ObjectIdentifier(model)
        }
    }
}
