extension SchemaBuilder {
    /// Says a constraint of text.
    mutating func text(_ constraint: Constraint, _ place: Place) -> SchemaNode {
        switch constraint {
        case .notBlank: return notBlank(place)
        case .minLength(let count, let unit): return minLength(count, unit, place)
        case .maxLength(let count, let unit): return maxLength(count, unit, place)
        case .pattern(let pattern): return typed("string", ["pattern": .string(pattern)], place)
        case .prefix(let part): return pattern("^\(part.patternSpelled)", part, place)
        case .suffix(let part): return pattern("\(part.patternSpelled)$", part, place)
        case .contains(let part): return pattern(part.patternSpelled, part, place)
        case .format(let name):
            if place.isNecessary { return SchemaNode(["format": .string(name)]) }
            return unsayable(place, "has a format, which no schema refuses")
        default: return unsayable(place, "has a rule of another kind")
        }
    }

    private mutating func notBlank(_ place: Place) -> SchemaNode {
        let text = typed("string", ["pattern": .string("[^\(Constraint.whiteSpace)]")], place)
        let array = typed("array", ["minItems": 1], place)
        var schema: SchemaNode
        switch place.shape {
        case .text: schema = text
        case .array: schema = array
        default:
            schema = place.isNecessary ? text.intersection(array) : .any([text, array])
        }
        if !place.isPresent && place.isNecessary { schema.formIntersection(.notNull) }
        return schema
    }

    /// Says a part of a text that stands somewhere: a schema does not see where a character ends.
    private mutating func pattern(_ pattern: String, _ part: String, _ place: Place) -> SchemaNode {
        if part.isEmpty { return place.isNecessary ? .anything : typed("string", [:], place) }
        let message = "has text that is compared by characters, a schema's by Unicode scalars"
        // Only of ASCII are all spellings known.
        guard place.isNecessary, part.utf8.allSatisfy({ $0 < 0x80 }) else {
            return unsayable(place, message)
        }
        report(place.path, message, isPart: true)
        return SchemaNode(["pattern": .string(pattern)])
    }
}

// MARK: Lengths

extension SchemaBuilder {
    /// A length of at least so much, in scalars: each is at most four bytes, or two units of UTF-16.
    mutating func minLength(_ count: Int, _ unit: TextUnit, _ place: Place) -> SchemaNode {
        if count <= 0 { return typed("string", [:], place) }
        let isExact = unit == .scalars || count == 1
        if !isExact { reportLength(unit, place) }
        // As many characters can be fewer by however much.
        if !place.isNecessary && unit == .characters && !isExact { return .nothing }
        let isWhole = !place.isNecessary || unit == .characters
        let scalars = isWhole ? count : (count - 1) / unit.mostInScalar + 1
        return typed("string", ["minLength": .int(Int64(scalars))], place)
    }

    mutating func maxLength(_ count: Int, _ unit: TextUnit, _ place: Place) -> SchemaNode {
        if count < 0 { return refusing(place) }
        let isExact = unit == .scalars || count == 0
        if !isExact { reportLength(unit, place) }
        // A character can have any number of scalars.
        if place.isNecessary && unit == .characters && !isExact { return .anything }
        let isWhole = place.isNecessary || unit == .characters
        let scalars = isWhole ? count : count / unit.mostInScalar
        return typed("string", ["maxLength": .int(Int64(scalars))], place)
    }

    private mutating func reportLength(_ unit: TextUnit, _ place: Place) {
        let name = unit.plural ?? "characters"
        let message = "has a length in \(name), a schema's is in Unicode scalars"
        report(place.path, message, isPart: true)
    }

    /// What nothing satisfies but nil.
    func refusing(_ place: Place) -> SchemaNode {
        if !place.isNecessary { return .nothing }
        return place.isPresent ? .nothing : .null
    }
}

extension TextUnit {
    /// How many of it are in a scalar at most.
    fileprivate var mostInScalar: Int {
        switch self {
        case .utf8: 4
        case .utf16: 2
        default: 1
        }
    }
}
