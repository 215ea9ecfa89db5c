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
    private let classes: KnownClasses?

    init(
        _ literal: String,
        at path: FieldPath,
        of known: AttributeValue?,
        in registry: TransformerRegistry?,
        _ classes: KnownClasses? = nil
    ) {
        self.literal = literal
        self.classes = classes
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

    /// The schema of the object that the rest of the path begins at, which is found once for all numbers in it.
    func schema<Schema: AnyObject>(_ find: () -> Schema) -> Schema {
        classes?.schema(atDepth: path.startIndex, find) ?? find()
    }

    /// How it is read where nobody takes it, or it is not known yet who does: a text, if it would be
    /// refused, as it is an integer that is no double, or a number beyond the range of one.
    var unread: Use {
        if let double = Double(literal), !double.isFinite { return .text }
        let isInteger = literal.utf8.dropFirst().allSatisfy { 48...57 ~= $0 }
        return isInteger && Int128(literal).flatMap(Double.init(wide:)) == nil ? .text : .exact
    }
}

/// The schemas of the objects around the number that is read.
final class KnownClasses {
    private var path: [FieldPath.Component] = []
    private var schemas: [Int: AnyObject] = [:]

    /// Forgets the objects that do not lead to the next number.
    func move(to next: FieldPath) {
        let common = zip(path, next.components).prefix { $0 == $1 }.count
        path = next.components
        if schemas.contains(where: { $0.key > common }) {
            schemas = schemas.filter { $0.key <= common }
        }
    }

    fileprivate func schema<Schema: AnyObject>(
        atDepth depth: Int,
        _ find: () -> Schema
    ) -> Schema {
        if let known = schemas[depth] as? Schema { return known }
        let found = find()
        schemas[depth] = found
        return found
    }
}
