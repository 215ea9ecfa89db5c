import ModelKitValues

extension SchemaBuilder {
    /// Says a constraint of what a value is made of.
    mutating func structure(_ constraint: Constraint, _ side: Side, _ place: Place) -> SchemaNode {
        switch (place.shape, constraint) {
        case (.text, .minItems(let count)): return minLength(count, .characters, side, place)
        case (.text, .maxItems(let count)): return maxLength(count, .characters, side, place)
        case (.array, _), (.dictionary, _), (.model, _), (.any, _): break
        default: return unsayable(side, place, "has a rule for elements that JSON does not show")
        }
        switch constraint {
        case .minItems(let count):
            if count <= 0 { return counted([:], [:], side, place) }
            let limit = AttributeValue.int(Int64(count))
            return counted(["minItems": limit], ["minProperties": limit], side, place)
        case .maxItems(let count):
            if count < 0 { return refusing(side, place) }
            let limit = AttributeValue.int(Int64(count))
            return counted(["maxItems": limit], ["maxProperties": limit], side, place)
        case .uniqueItems:
            let element = place.element.wrapped
            // Two models of one content are two.
            if side == .sufficient || element.isModel {
                return unsayable(side, place, "has elements that only their code compares")
            }
            let message = "has elements of which several forms may be equal"
            if element.hasSeveralForms { report(place.path, message, isPart: true) }
            return SchemaNode(["uniqueItems": true])
        case .containsItems(let inner, let min, let max):
            return containsItems(inner, min, max, side, place)
        case .items(let inner):
            return part("array", "items", inner, side, place, place.element)
        case .values(let inner):
            return part("object", "additionalProperties", inner, side, place, place.value)
        case .keys(let inner):
            return part("object", "propertyNames", inner, side, place, .text(format: nil))
        case .property(let name, let inner):
            return property(name, inner, side, place)
        default:
            guard side == .necessary, case .model(let schema) = place.shape else {
                return unsayable(side, place, "has rules of its own")
            }
            return models.reference(to: schema, isValid: true, at: place.path)
        }
    }

    /// Keywords for arrays, and others for objects; both where it is not known which it is.
    private func counted(
        _ array: AttributeDictionary,
        _ object: AttributeDictionary,
        _ side: Side,
        _ place: Place
    ) -> SchemaNode {
        let (array, object) = (typed("array", array, side), typed("object", object, side))
        switch place.shape {
        case .array: return array
        case .dictionary: return object
        default: return side == .necessary ? array.intersection(object) : .any([array, object])
        }
    }

    /// Says a constraint of every element, key or value.
    private mutating func part(
        _ type: AttributeValue,
        _ keyword: String,
        _ constraint: Constraint,
        _ side: Side,
        _ place: Place,
        _ shape: JSONType
    ) -> SchemaNode {
        let path = place.path.appending(key: "*")
        let isPresent = side == .necessary && shape.hasType
        let inside = Place(path: path, shape: shape.wrapped, isPresent: isPresent)
        let part = self.element(constraint, side, inside, shape)
        if side == .necessary && part == .anything { return part }
        // What accepts no element still accepts what has none.
        return typed(type, [keyword: part.value], side)
    }

    /// Says a constraint of something that a value is made of, where null is a value like others.
    private mutating func element(
        _ constraint: Constraint,
        _ side: Side,
        _ place: Place,
        _ shape: JSONType
    ) -> SchemaNode {
        var schema = self.schema(constraint, side, place)
        if side == .necessary && shape.isOptional && constraint.verdictOnNull == false {
            schema.formIntersection(.notNull)
        }
        return schema
    }

    private mutating func property(
        _ name: String,
        _ constraint: Constraint,
        _ side: Side,
        _ place: Place
    ) -> SchemaNode {
        let path = place.path.appending(key: name)
        var inside = schema(constraint, side, Place(path: path, shape: .any, isPresent: false))
        var isRequired = constraint.refusesNil
        if side == .sufficient {
            isRequired = !constraint.acceptsNil
            if !isRequired { inside = .any([.null, inside]) }
            if inside == .nothing { return .nothing }
        }
        var keywords: AttributeDictionary = [:]
        if isRequired { keywords["required"] = [.string(name)] }
        if inside != .anything { keywords["properties"] = [name: inside.value] }
        return typed("object", keywords, side)
    }

    /// At least so many elements, at most so many: for each the side of them that keeps the promise.
    private mutating func containsItems(
        _ constraint: Constraint,
        _ min: Int,
        _ max: Int?,
        _ side: Side,
        _ place: Place
    ) -> SchemaNode {
        let path = place.path.appending(key: "*")
        let inside = Place(path: path, shape: place.element.wrapped, isPresent: false)
        var result = typed("array", [:], side)
        if min > 0 {
            let element = self.element(constraint, side, inside, place.element)
            result.formIntersection(
                typed("array", ["contains": element.value, "minContains": .int(Int64(min))], side)
            )
        }
        if let max {
            if max < Swift.max(min, 0) { return refusing(side, place) }
            let element = schema(constraint, side.other, inside)
            let limit = AttributeValue.int(Int64(max))
            result.formIntersection(
                typed(
                    "array",
                    ["contains": element.value, "minContains": 0, "maxContains": limit],
                    side
                )
            )
        }
        return result
    }
}

extension SchemaBuilder.Place {
    /// What is known of the elements.
    fileprivate var element: JSONType {
        if case .array(let shape) = shape { shape } else { .any }
    }

    /// What is known of the values of a dictionary.
    fileprivate var value: JSONType {
        if case .dictionary(let shape) = shape { shape } else { .any }
    }
}
