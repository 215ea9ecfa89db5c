import ModelKitFields

/// A number in JSON, of more digits than a double may keep.
struct WideNumber {
    /// How one is read.
    enum Use {
        /// Its digits are kept as text.
        case text
        /// It is the double that is nearest to it.
        case nearest
        /// It is a double, unless it is an integer that would lose digits: such a one is refused.
        case exact
    }

    let literal: String
    /// What leads to it from the value that is asked.
    private(set) var path: ArraySlice<FieldPath.Component>
    /// The value that is asked as it was read before, which shows the classes of the objects in it.
    private(set) var known: AttributeValue?
    let registry: TransformerRegistry?

    init(
        _ literal: String,
        at path: FieldPath,
        of known: AttributeValue?,
        in registry: TransformerRegistry?
    ) {
        self.literal = literal
        self.path = path.components[...]
        self.known = known
        self.registry = registry
    }

    /// Where the path leads next, and the number as it is seen from there; nil at its end.
    var next: (FieldPath.Component, WideNumber)? {
        guard let step = path.first else { return nil }
        var inner = self
        inner.path.removeFirst()
        switch (step, known) {
        case (.key(let name), .dictionary(let members)?): inner.known = members[name]
        case (.index(let index), .array(let elements)?) where elements.indices.contains(index):
            inner.known = elements[index]
        default: inner.known = nil
        }
        return (step, inner)
    }

    /// How it is read where nobody takes it, or it is not known yet who does: a text, if it would be
    /// refused, as it is an integer that is no double, or a number beyond the range of one.
    var unread: Use {
        if let double = Double(literal), !double.isFinite { return .text }
        let isInteger = literal.utf8.dropFirst().allSatisfy { 48...57 ~= $0 }
        return isInteger && Int128(literal).flatMap(Double.init(wide:)) == nil ? .text : .exact
    }
}
