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
    /// The numbers that no attribute value can be, as the text has them, by their paths; what is read has
    /// `unkeptNumber` in their place.
    package var unkept: [FieldPath: String] = [:]
    /// What was wrong, in the order in which it was found.
    package var issues: [Issue] = []

    package init(in registry: TransformerRegistry? = nil, skipsInvalid: Bool = false) {
        self.registry = registry
        self.skipsInvalid = skipsInvalid
    }

    /// What stands for a number that no attribute value can be: to a field, a number out of all ranges but those
    /// of doubles.
    package static let unkeptNumber = AttributeValue.double(.greatestFiniteMagnitude)

    /// What is wrong with a value that is such a number, or has one in it; nil if there is none.
    func issue(ofUnkeptIn value: AttributeValue, at path: FieldPath, _ type: Any.Type) -> Issue? {
        if unkept.isEmpty { return nil }
        switch value {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let place = path.appending(index: index)
                if let issue = issue(ofUnkeptIn: element, at: place, type) { return issue }
            }
            return nil
        case .dictionary(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                let place = path.appending(key: key)
                if let issue = issue(ofUnkeptIn: member, at: place, type) { return issue }
            }
            return nil
        case Self.unkeptNumber:
            return unkept[path].map { .outOfRange(number: $0, type).prefixed(by: path) }
        default: return nil
        }
    }
}
