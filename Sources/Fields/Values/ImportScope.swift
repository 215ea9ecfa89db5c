package import ModelKitValues

/// What an import takes along: the context that it is made in, what it does about values that do not
/// fit, and what it has found.
package struct ImportScope {
    /// The context; nil for the default one.
    package let registry: TransformerRegistry?
    /// Whether what does not fit is left out of arrays and models, which are taken without it.
    package let skipsInvalid: Bool
    /// Whether null is nil also for a field whose values may be null: in stores, which keep one of both.
    package var nullIsNil = false
    /// How many models the one that is read is inside of.
    package var depth = 0
    /// Whether what is read may be dropped and read again, as nobody else knows it.
    package var isDroppable = true
    /// What the layer above keeps for all of the import.
    package var references: AnyObject?
    /// What it keeps for the outermost of the models that are read.
    package var models: AnyObject?
    /// What was wrong, in the order in which it was found.
    package var issues: [Issue] = []

    package init(in registry: TransformerRegistry? = nil, skipsInvalid: Bool = false) {
        self.registry = registry
        self.skipsInvalid = skipsInvalid
    }
}
