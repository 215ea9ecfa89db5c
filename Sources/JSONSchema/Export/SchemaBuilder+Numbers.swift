extension SchemaBuilder {
    /// Says a constraint of numbers.
    mutating func number(_ constraint: Constraint, _ place: Place) -> SchemaNode {
        switch place.shape {
        case .number, .integer, .any: break
        case .wideInteger, .decimal:
            report(place.path, "may be text, which has no bounds in a schema", isPart: true)
        case .cases(let shape, _):
            var inside = place
            inside.shape = shape
            return number(constraint, inside)
        default: return unsayable(place, "has a bound, which a schema has for numbers alone")
        }
        switch constraint {
        case .minimum(let bound): return self.bound("minimum", bound, -1, place)
        case .exclusiveMinimum(let bound):
            return self.bound("exclusiveMinimum", bound, -1, place)
        case .maximum(let bound): return self.bound("maximum", bound, 1, place)
        case .exclusiveMaximum(let bound):
            return self.bound("exclusiveMaximum", bound, 1, place)
        case .multipleOf(let divisor): return multiple(of: divisor, place)
        case .digits(let integer, let fraction):
            if fraction > 0 { reportRounding(place) }
            return typed("number", digits(max(integer, 0), max(fraction, 0)), place)
        default: return unsayable(place, "has a rule of another kind")
        }
    }

    /// A bound; one that is infinite in its own direction is none.
    private mutating func bound(
        _ keyword: String,
        _ bound: AttributeValue,
        _ direction: Double,
        _ place: Place
    ) -> SchemaNode {
        switch bound {
        case .double(let number) where !number.isFinite:
            return number * direction > 0 ? typed("number", [:], place) : refusing(place)
        case .int, .double: return typed("number", [keyword: bound], place)
        default: return unsayable(place, "has a bound, which a schema has for numbers alone")
        }
    }

    private mutating func multiple(of divisor: AttributeValue, _ place: Place) -> SchemaNode {
        switch divisor {
        case .int(0): return choice([0], place)
        case .int(let number):
            let size = Int64(exactly: number.magnitude).map { AttributeValue.int($0) }
            return typed("number", ["multipleOf": size ?? .double(Double(number.magnitude))], place)
        case .double(let number) where number.isFinite && number != 0:
            reportRounding(place)
            return typed("number", ["multipleOf": .double(number.magnitude)], place)
        default: return refusing(place)
        }
    }

    private mutating func reportRounding(_ place: Place) {
        let message = "forgives the rounding of multiples, a schema does not"
        report(place.path, message, isPart: true)
    }

    private func digits(_ integer: Int, _ fraction: Int) -> AttributeDictionary {
        var keywords: AttributeDictionary = [:]
        if let bound = power(of10: integer) {
            keywords["exclusiveMaximum"] = bound
            keywords["exclusiveMinimum"] = bound.negated
        }
        if let step = power(of10: -fraction) { keywords["multipleOf"] = step }
        return keywords
    }

    /// A power of ten as JSON writes it; nil beyond the range of a double.
    private func power(of10 exponent: Int) -> AttributeValue? {
        if 0...18 ~= exponent, let number = Int64("1" + String(repeating: "0", count: exponent)) {
            return .int(number)
        }
        guard let number = Double("1e\(exponent)"), number.isFinite, number > 0 else { return nil }
        return .double(number)
    }

    /// Says that a value is one of a list.
    mutating func choice(_ values: [AttributeValue], _ place: Place) -> SchemaNode {
        if case .wideInteger = place.shape {
            return unsayable(place, "is compared to values that have several forms")
        }
        var allowed: [AttributeValue] = []
        for value in values where !allowed.contains(value) {
            switch value {
            case .null: if place.isNecessary { allowed.append(value) }
            case .bool, .int: allowed.append(value)
            // JSON has no others.
            case .double(let number): if number.isFinite { allowed.append(value) }
            case .string(let text):
                allowed.append(value)
                if text.hasOtherSpellings {
                    let message = "has text that can be spelled in several ways"
                    report(place.path, message, isPart: true)
                }
            default: return unsayable(place, "is compared to values that have several forms")
            }
        }
        if allowed.isEmpty { return refusing(place) }
        if place.isNecessary && !place.isPresent && !allowed.contains(.null) {
            return SchemaNode(["enum": .array(allowed + [.null])])
        }
        return allowed.count == 1
            ? SchemaNode(["const": allowed[0]]) : SchemaNode(["enum": .array(allowed)])
    }
}

extension AttributeValue {
    fileprivate var negated: AttributeValue {
        switch self {
        case .int(let number): .int(-number)
        case .double(let number): .double(-number)
        default: self
        }
    }
}
