public import ModelKitValues

/// How values of a type become attribute values and come back.
///
/// Types that are `AttributeConvertible` need none; a field of another type is given one:
///
/// ```swift
/// let hexadecimal = FieldTransformer<Int>(
///     export: { .string(String($0, radix: 16)) },
///     import: { value in
///         guard case .string(let text) = value, let number = Int(text, radix: 16) else {
///             throw Issue(code: "type", message: "must be a hexadecimal number")
///         }
///         return number
///     })
/// let color = Field<Int>().transform(with: hexadecimal)
/// ```
public struct FieldTransformer<Value: Sendable>: Sendable {
    /// What kind the attribute form of every value is.
    public let kind: AttributeKind
    /// Whether the values are models, or arrays of them.
    var holdsModels = false
    /// Whether the attribute form is the value itself, so that what is said of the one is said of the
    /// other.
    var showsValue = false
    /// Whether the attribute form is a number, whole or not, where the kind says `.any`.
    var isNumber = false
    /// Whether `.null` stands for a value that others cannot be sent, and that arrays leave out.
    package var leavesOutNull = false
    /// Whether the class of a field brings it, and nobody has given it.
    package var isOfClass = false
    /// Whether a model is the dictionary of its fields, and an array of models one of such.
    @usableFromInline package var isStandardModel = false
    let export: @Sendable (Value, inout Traversal) -> AttributeValue
    package let read: @Sendable (AttributeValue, FieldPath, inout ImportScope) -> Value?

    /// A transformer of two closures, which may be called on any thread.
    ///
    /// - Parameters:
    ///   - kind: What kind every attribute value is: what a store makes a column of.
    ///   - export: Makes the attribute value.
    ///   - import: Makes the value, or throws an issue, whose path is set for it. It is never given
    ///     `.null`.
    public init(
        kind: AttributeKind = .any,
        export: @escaping @Sendable (Value) -> AttributeValue,
        import: @escaping @Sendable (AttributeValue) throws(Issue) -> Value
    ) {
        self.kind = kind
        self.export = { value, _ in export(value) }
        self.read = { value, path, scope in
            do throws(Issue) {
                return try `import`(value)
            } catch {
                scope.issues.append(error.bounded.prefixed(by: path))
                return nil
            }
        }
    }

    /// A transformer that goes into values of its own: models, and arrays of them.
    package init(
        kind: AttributeKind,
        holdsModels: Bool,
        traversing export: @escaping @Sendable (Value, inout Traversal) -> AttributeValue,
        read: @escaping @Sendable (AttributeValue, FieldPath, inout ImportScope) -> Value?
    ) {
        self.kind = kind
        self.holdsModels = holdsModels
        showsValue = true
        self.export = export
        self.read = read
    }
}

extension FieldTransformer {
    /// A transformer of arrays that transforms each element.
    ///
    /// An issue names the element's index. An array with an element that cannot be read is not read,
    /// or is read without it, as the import says.
    package static func array<Element: Sendable>(
        of element: FieldTransformer<Element>
    ) -> FieldTransformer<[Element]> where Value == [Element] {
        var transformer = FieldTransformer<[Element]>(
            kind: .array,
            holdsModels: element.holdsModels,
            traversing: { values, traversal in
                let forms = values.map { element.export($0, &traversal) }
                return .array(element.leavesOutNull ? forms.filter { !$0.isNull } : forms)
            },
            read: { value, path, scope in
                guard case .array(let elements) = value else {
                    scope.issues.append(.wrongType(value, expected: "an array", at: path))
                    return nil
                }
                var result: [Element] = []
                result.reserveCapacity(elements.count)
                var isComplete = true
                for (index, attribute) in elements.enumerated() {
                    let place = path.appending(index: index)
                    if let value = element.readInside(attribute, at: place, in: &scope) {
                        result.append(value)
                    } else {
                        isComplete = false
                    }
                }
                return isComplete || scope.skipsInvalid ? result : nil
            }
        )
        transformer.isStandardModel = element.isStandardModel
        transformer.isOfClass = element.isOfClass
        return transformer
    }
}

extension FieldTransformer {
    /// Whether null is a value like any other.
    var takesNull: Bool { showsValue && Value.self == AttributeValue.self }

    /// Reads a value inside of an array or a dictionary, where null is no way to say that there is none.
    private func readInside(
        _ value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Value? {
        if !value.isNull || takesNull { return read(value, path, &scope) }
        scope.issues.append(.wrongType(value, expected: nil, at: path))
        return nil
    }

    /// A transformer of dictionaries that transforms each value.
    ///
    /// An issue names the value's key. A dictionary with a value that cannot be read is not read, or is
    /// read without it, as the import says.
    static func dictionary<Element: Sendable>(
        of element: FieldTransformer<Element>
    ) -> FieldTransformer<[String: Element]> where Value == [String: Element] {
        FieldTransformer<[String: Element]>(
            kind: .dictionary,
            holdsModels: element.holdsModels,
            traversing: { values, traversal in
                .dictionary(values.mapValues { element.export($0, &traversal) })
            },
            read: { value, path, scope in
                guard case .dictionary(let members) = value else {
                    scope.issues.append(.wrongType(value, expected: "a dictionary", at: path))
                    return nil
                }
                var result: [String: Element] = [:]
                // In their order, so that the same is wrong in the same order each time.
                for (key, attribute) in members.sorted(by: { $0.key < $1.key }) {
                    let place = path.appending(key: key)
                    result[key] = element.readInside(attribute, at: place, in: &scope)
                }
                return result.count == members.count || scope.skipsInvalid ? result : nil
            }
        )
    }
}
