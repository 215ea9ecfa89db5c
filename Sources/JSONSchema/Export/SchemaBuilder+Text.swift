import ModelKitValues

extension SchemaBuilder {
    /// Says a constraint of text.
    mutating func text(_ constraint: Constraint, _ side: Side, _ place: Place) -> SchemaNode {
        switch constraint {
        case .notBlank: return notBlank(side, place)
        case .minLength(let count, let unit):
            return minLength(count, unit, side, place)
        case .maxLength(let count, let unit):
            return maxLength(count, unit, side, place)
        case .pattern(let pattern):
            return typed("string", ["pattern": .string(pattern)], side)
        case .prefix(let part): return pattern("^\(part.patternSpelled)", part, side, place)
        case .suffix(let part): return pattern("\(part.patternSpelled)$", part, side, place)
        case .contains(let part): return pattern(part.patternSpelled, part, side, place)
        case .format(let name):
            if side == .necessary { return SchemaNode(["format": .string(name)]) }
            return unsayable(side, place, "has a format, which no schema refuses")
        default: return unsayable(side, place, "has a rule of another kind")
        }
    }

    private mutating func notBlank(_ side: Side, _ place: Place) -> SchemaNode {
        let text = typed("string", ["pattern": .string("[^\(Constraint.whiteSpace)]")], side)
        let array = typed("array", ["minItems": 1], side)
        var schema: SchemaNode
        switch place.shape {
        case .text: schema = text
        case .array: schema = array
        default:
            schema = side == .necessary ? text.intersection(array) : .any([text, array])
        }
        if !place.isPresent && side == .necessary { schema.formIntersection(.notNull) }
        return schema
    }

    /// Says a part of a text that stands somewhere: a schema does not see where a character ends.
    private mutating func pattern(
        _ pattern: String,
        _ part: String,
        _ side: Side,
        _ place: Place
    ) -> SchemaNode {
        if part.isEmpty { return side == .necessary ? .anything : typed("string", [:], side) }
        let message = "has text that is compared by characters, a schema's by Unicode scalars"
        // Only of ASCII are all spellings known.
        guard side == .necessary, part.utf8.allSatisfy({ $0 < 0x80 }) else {
            return unsayable(side, place, message)
        }
        report(place.path, message, isPart: true)
        return SchemaNode(["pattern": .string(pattern)])
    }
}

// MARK: Lengths

extension SchemaBuilder {
    /// A length of at least so much, in scalars: each is at most four bytes, or two units of UTF-16.
    mutating func minLength(
        _ count: Int,
        _ unit: TextUnit,
        _ side: Side,
        _ place: Place
    ) -> SchemaNode {
        if count <= 0 { return typed("string", [:], side) }
        let isExact = unit == .scalars || count == 1
        if !isExact { reportLength(unit, place) }
        if side == .sufficient {
            // As many characters can be fewer by however much.
            if unit == .characters && !isExact { return .nothing }
            return typed("string", ["minLength": .int(Int64(count))], side)
        }
        let scalars = unit == .characters ? count : (count - 1) / unit.mostInScalar + 1
        return SchemaNode(["minLength": .int(Int64(scalars))])
    }

    mutating func maxLength(
        _ count: Int,
        _ unit: TextUnit,
        _ side: Side,
        _ place: Place
    ) -> SchemaNode {
        if count < 0 { return refusing(side, place) }
        let isExact = unit == .scalars || count == 0
        if !isExact { reportLength(unit, place) }
        if side == .necessary {
            // A character can have any number of scalars.
            if unit == .characters && !isExact { return .anything }
            return SchemaNode(["maxLength": .int(Int64(count))])
        }
        let scalars = unit == .characters ? count : count / unit.mostInScalar
        return typed("string", ["maxLength": .int(Int64(scalars))], side)
    }

    private mutating func reportLength(_ unit: TextUnit, _ place: Place) {
        let name = unit.plural ?? "characters"
        let message = "has a length in \(name), a schema's is in Unicode scalars"
        report(place.path, message, isPart: true)
    }

    /// What nothing satisfies but nil.
    func refusing(_ side: Side, _ place: Place) -> SchemaNode {
        if side == .sufficient { return .nothing }
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
