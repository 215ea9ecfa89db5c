extension SchemaBuilder {
    /// Says a constraint of what a value is made of.
    mutating func structure(_ constraint: Constraint, _ place: Place) -> SchemaNode {
        switch (place.shape, constraint) {
        case (.text, .minItems(let count)): return minLength(count, .characters, place)
        case (.text, .maxItems(let count)): return maxLength(count, .characters, place)
        case (.set, .uniqueItems): return unsayable(place, Self.repeated)
        case (.array, _), (.set, _), (.dictionary, _), (.model, _), (.any, _): break
        default: return unsayable(place, "has a rule for elements that JSON does not show")
        }
        switch constraint {
        case .minItems(let count):
            if count <= 0 { return counted([:], [:], place) }
            if case .set = place.shape, !place.isNecessary, count > 1 {
                return unsayable(place, Self.repeated)
            }
            let limit = AttributeValue.int(Int64(count))
            return counted(["minItems": limit], ["minProperties": limit], place)
        case .maxItems(let count):
            if count < 0 { return refusing(place) }
            if case .set = place.shape, place.isNecessary, count > 0 {
                return unsayable(place, Self.repeated)
            }
            let limit = AttributeValue.int(Int64(count))
            return counted(["maxItems": limit], ["maxProperties": limit], place)
        case .uniqueItems:
            let element = place.element.wrapped
            // Two models of one content are two.
            if !place.isNecessary || element.mayBeAlike {
                return unsayable(place, "has elements that only their code compares")
            }
            let message = "has elements of which several forms may be equal"
            if element.hasSeveralForms { report(place.path, message, isPart: true) }
            return SchemaNode(["uniqueItems": true])
        case .containsItems(let inner, let min, let max):
            if case .set = place.shape, place.isNecessary ? max ?? 0 > 0 : min > 1 {
                let schema = unsayable(place, Self.repeated)
                return place.isNecessary ? containsItems(inner, min, nil, place) : schema
            }
            return containsItems(inner, min, max, place)
        case .items(let inner):
            return part("array", "items", inner, place, place.element)
        case .values(let inner):
            return part("object", "additionalProperties", inner, place, place.value)
        case .keys(let inner):
            return part("object", "propertyNames", inner, place, .text(format: nil))
        case .property(let name, let inner):
            return property(name, inner, place)
        default:
            guard place.isNecessary, case .model(let schema) = place.shape else {
                return unsayable(place, "has rules of its own")
            }
            return models.reference(to: schema, isValid: true, at: place.path)
        }
    }

    /// Keywords for arrays, and others for objects; both where it is not known which it is.
    private func counted(
        _ array: AttributeDictionary,
        _ object: AttributeDictionary,
        _ place: Place
    ) -> SchemaNode {
        let (array, object) = (typed("array", array, place), typed("object", object, place))
        switch place.shape {
        case .array, .set: return array
        case .dictionary: return object
        default: return place.isNecessary ? array.intersection(object) : .any([array, object])
        }
    }

    /// Says a constraint of every element, key or value.
    private mutating func part(
        _ type: AttributeValue,
        _ keyword: String,
        _ constraint: Constraint,
        _ place: Place,
        _ shape: JSONType
    ) -> SchemaNode {
        let isPresent = place.isNecessary && shape.hasType
        let inside = place.part("*", shape.wrapped, isPresent: isPresent)
        let part = self.element(constraint, inside, shape)
        if place.isNecessary && part == .anything { return part }
        // What accepts no element still accepts what has none.
        return typed(type, [keyword: part.value], place)
    }

    /// Says a constraint of something that a value is made of, where null is a value like others.
    private mutating func element(
        _ constraint: Constraint,
        _ place: Place,
        _ shape: JSONType
    ) -> SchemaNode {
        var schema = self.schema(constraint, place)
        if place.isNecessary && shape.isOptional && constraint.verdictOnNull == false {
            schema.formIntersection(.notNull)
        }
        return schema
    }

    private mutating func property(
        _ name: String,
        _ constraint: Constraint,
        _ place: Place
    ) -> SchemaNode {
        var inside = schema(constraint, place.part(name, .any))
        var isRequired = constraint.refusesNil
        if !place.isNecessary {
            isRequired = !constraint.acceptsNil
            if !isRequired { inside = .any([.null, inside]) }
            if inside == .nothing { return .nothing }
        }
        var keywords: AttributeDictionary = [:]
        if isRequired { keywords["required"] = [.string(name)] }
        if inside != .anything { keywords["properties"] = [name: inside.value] }
        return typed("object", keywords, place)
    }

    private static var repeated: String { "is a set, in which JSON may have an element twice" }

    /// At least so many elements, at most so many: for each the side of them that keeps the promise.
    private mutating func containsItems(
        _ constraint: Constraint,
        _ min: Int,
        _ max: Int?,
        _ place: Place
    ) -> SchemaNode {
        var inside = place.part("*", place.element.wrapped)
        var result = typed("array", [:], place)
        if min > 0 {
            let element = self.element(constraint, inside, place.element)
            result.formIntersection(
                typed("array", ["contains": element.value, "minContains": .int(Int64(min))], place)
            )
        }
        if let max {
            if max < Swift.max(min, 0) { return refusing(place) }
            inside.isNecessary.toggle()
            let element = schema(constraint, inside)
            let limit = AttributeValue.int(Int64(max))
            let keywords: AttributeDictionary = [
                "contains": element.value, "minContains": 0, "maxContains": limit,
            ]
            result.formIntersection(typed("array", keywords, place))
        }
        return result
    }
}

extension SchemaBuilder.Place {
    /// Where a part of the value stands, on the same side.
    fileprivate func part(_ key: String, _ shape: JSONType, isPresent: Bool = false) -> Self {
        let path = path.appending(key: key)
        return Self(path: path, shape: shape, isPresent: isPresent, isNecessary: isNecessary)
    }

    /// What is known of the elements.
    fileprivate var element: JSONType {
        switch shape {
        case .array(let shape), .set(let shape): shape
        default: .any
        }
    }

    /// What is known of the values of a dictionary.
    fileprivate var value: JSONType {
        if case .dictionary(let shape) = shape { shape } else { .any }
    }
}
