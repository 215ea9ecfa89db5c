import ModelKitFields

/// Makes schemas of constraints, and notes what they do not say.
///
/// A constraint is said on one of two sides: as a schema that accepts everything it accepts, or, for
/// the inside of `not`, as one that refuses everything it refuses. Where both can be said by the same
/// schema, it is exact; what cannot be said accepts everything on the one side and nothing on the
/// other.
struct SchemaBuilder {
    /// Where a value stands, what is known of it, and on which side a constraint of it is said.
    struct Place {
        var path: FieldPath
        var shape: JSONType
        /// Whether null is refused beside the constraint.
        var isPresent: Bool
        /// Whether the schema accepts everything that the constraint accepts; else it refuses everything that the
        /// constraint refuses, and null.
        var isNecessary = true
    }

    private(set) var notRepresented: [Issue] = []
    /// The context of the dictionaries that are described.
    let registry: TransformerRegistry?
    var models = ModelReferences()
    /// The schemas of models, by their names.
    var definitions: AttributeDictionary = [:]

    init(in registry: TransformerRegistry? = nil) { self.registry = registry }

    /// A schema for a value of some shape that has to satisfy a constraint.
    ///
    /// null is a value unless the constraint or `isNullable` says otherwise.
    mutating func schema(
        of shape: JSONType,
        demanding constraint: Constraint,
        at path: FieldPath,
        isNullable: Bool = true
    ) -> SchemaNode {
        let refusesNull =
            constraint.refusesNil
            || !isNullable && (!shape.isOptional || constraint.verdictOnNull == false)
        let inside = shape.wrapped
        var parts = constraint.parts
        var schema = base(inside, &parts, at: path)
        let place = Place(path: path, shape: inside, isPresent: refusesNull && inside.hasType)
        if !refusesNull { schema.acceptNull() }
        schema.formIntersection(self.schema(.all(parts), place))
        return schema
    }

    /// What the shape demands, and what parts of a constraint demand of elements and models, which
    /// are then said.
    private mutating func base(
        _ shape: JSONType,
        _ parts: inout [Constraint],
        at path: FieldPath
    ) -> SchemaNode {
        switch shape {
        case .model(let schema):
            let isValid = parts.contains(.valid)
            parts.removeAll { $0 == .valid }
            return models.reference(to: schema, isValid: isValid, at: path)
        case .array(let element), .set(let element):
            let inner = parts.compactMap(\.ofElements)
            parts.removeAll { $0.ofElements != nil }
            return container("array", "items", element, Constraint(all: inner), at: path)
        case .dictionary(let value):
            return container("object", "additionalProperties", value, .all([]), at: path)
        case .made, .decimal:
            report(path, "has a form that only its code knows")
            return shape.schema
        default: return shape.schema
        }
    }

    private mutating func container(
        _ type: AttributeValue,
        _ keyword: String,
        _ shape: JSONType,
        _ constraint: Constraint,
        at path: FieldPath
    ) -> SchemaNode {
        let inside = schema(
            of: shape,
            demanding: constraint,
            at: path.appending(key: "*"),
            isNullable: false
        )
        return SchemaNode(
            inside == .anything ? ["type": type] : ["type": type, keyword: inside.value]
        )
    }

    /// Says a constraint on one side.
    mutating func schema(_ constraint: Constraint, _ place: Place) -> SchemaNode {
        switch constraint {
        case .required: return place.isPresent ? .anything : .notNull
        case .all(let parts):
            var schema = SchemaNode.anything
            for part in parts { schema.formIntersection(self.schema(part, place)) }
            return schema == .anything && !place.isNecessary && !place.isPresent
                ? .notNull : schema
        case .any(let parts):
            return .any(parts.map { schema($0, place) })
        case .not(let inner): return negation(of: inner, place)
        case .opaque: return unsayable(place, "has a rule that only its code knows")
        default: break
        }
        if place.shape.isMade, !place.shape.isDecimal || !constraint.isOfNumbers {
            let rest = unsayable(place, "has a rule for what its form is made of")
            return constraint == .notBlank && !place.isPresent ? rest.intersection(.notNull) : rest
        }
        switch constraint {
        case .minItems, .maxItems, .uniqueItems, .containsItems, .items, .keys, .values, .property,
            .valid:
            return structure(constraint, place)
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum, .multipleOf, .digits:
            return number(constraint, place)
        case .oneOf(let values): return choice(values, place)
        default: return text(constraint, place)
        }
    }

    private mutating func negation(of constraint: Constraint, _ place: Place) -> SchemaNode {
        if place.isNecessary && constraint == .required { return refusing(place) }
        let value = place.isNecessary ? .anything : SchemaNode(["type": place.shape.types])
        var other = place
        other.isNecessary.toggle()
        let inner = schema(constraint, other)
        if inner == .nothing { return value }
        if inner == .anything || inner == .notNull { return refusing(place) }
        return value.intersection(SchemaNode(["not": inner.value]))
    }

    /// Keywords that concern values of one JSON type alone: others pass on the one side and fail on
    /// the other.
    func typed(
        _ type: AttributeValue,
        _ keywords: AttributeDictionary,
        _ place: Place
    ) -> SchemaNode {
        var schema = SchemaNode(keywords)
        if !place.isNecessary { schema.keywords["type"] = type }
        return schema
    }

    /// Notes what is not said.
    mutating func unsayable(_ place: Place, _ message: String) -> SchemaNode {
        report(place.path, message)
        return place.isNecessary ? .anything : .nothing
    }

    /// Notes what is not said of something at a path.
    mutating func report(_ path: FieldPath, _ message: String, isPart: Bool = false) {
        let code = isPart ? "partlyRepresented" : "notRepresented"
        let issue = Issue(code: code, path: path, message: message, severity: .warning)
        if !notRepresented.contains(issue) { notRepresented.append(issue) }
    }
}

extension Constraint {
    /// Whether it bounds numbers.
    fileprivate var isOfNumbers: Bool {
        switch self {
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum, .digits: true
        default: false
        }
    }

    /// The parts of a conjunction, or the one that there is.
    var parts: [Constraint] { if case .all(let parts) = self { parts } else { [self] } }

    /// What it demands of every element, if it does just that.
    fileprivate var ofElements: Constraint? {
        if case .items(let inner) = self { inner } else { nil }
    }

    /// Whether null passes where that is a value, as an element that is optional; nil if it is not
    /// known.
    var verdictOnNull: Bool? {
        switch self {
        case .required, .notBlank: return false
        case .oneOf(let values): return values.contains(.null)
        case .not(let inner): return inner.verdictOnNull.map { !$0 }
        case .all(let parts), .any(let parts):
            let verdicts = parts.map(\.verdictOnNull)
            let isAll = if case .all = self { true } else { false }
            if verdicts.contains(!isAll) { return !isAll }
            return verdicts.contains(nil) ? nil : isAll
        default: return nil
        }
    }

    /// Whether it is known to accept nil.
    var acceptsNil: Bool {
        switch self {
        case .required, .notBlank, .opaque: false
        case .all(let parts): parts.allSatisfy(\.acceptsNil)
        case .any(let parts): parts.contains(where: \.acceptsNil)
        default: true
        }
    }
}
