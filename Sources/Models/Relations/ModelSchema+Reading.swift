public import ModelKitFields

extension ModelSchema {
    /// What a field of models says of its relation.
    ///
    /// ```swift
    /// let relation = Office.schema.relation(of: "desks")
    /// relation?.inverse?.name   // "office"
    /// ```
    public struct RelationSummary: Sendable {
        /// The type of the models.
        public let type: any Model.Type
        /// Whether there may be several of them.
        public let isArray: Bool
        /// How they are kept.
        public let kind: RelationKind
        /// Whether a dictionary has their identifiers alone.
        public var isForeignKey: Bool { kind == .key }
        /// Whether they are deleted together with the model of the field.
        public let cascades: Bool
        /// Their field for the field's own model, if there is one.
        public let inverse: Entry?
    }

    /// What the field of a name says of its relation; nil if its values are no models.
    public func relation(of name: String) -> RelationSummary? {
        let entry = allFields.first { $0.name == name } ?? entry(named: name)
        return entry.flatMap(relation(of:))
    }

    private func relation(of entry: Entry) -> RelationSummary? {
        guard let field = entry.sample as? any RelationField else { return nil }
        let declaration = field.declaration
        return RelationSummary(
            type: field.partner,
            isArray: field.elementField != nil,
            kind: entry.relationKind ?? .embedded,
            cascades: declaration.cascades,
            inverse: relations.all.first { $0.entry === entry }?.inverse
        )
    }
}

extension ModelSchema.Entry {
    /// The type of the values, without the optional.
    public var valueType: Any.Type { sample.valueType }

    /// What the field demands of a value, as data: by its rules and its domain, of elements by theirs.
    ///
    /// Without any it is `.all([])`.
    public var constraint: Constraint { sample.constraint(withRules: true) }
}

extension ModelSchema: CustomStringConvertible {
    /// The type and its fields, with their kinds, relations and rules:
    /// `Desk: id (string, identifier), label (string) [maxLength 3], office (Office, inverse desks)`.
    public var description: String {
        let list = (fields + derivedFields).map { entry in
            var marks = [relation(of: entry)?.description ?? "\(entry.kind)"]
            if entry === identifier { marks.append("identifier") }
            if entry.isUnique {
                marks.append("unique")
            } else if entry.isIndexed, !entry.isForeignKey, !entry.isDerived {
                marks.append("indexed")
            }
            let rules = entry.constraint.summaries.joined(separator: ", ")
            return "\(entry.key) (\(marks.joined(separator: ", ")))"
                + (rules.isEmpty ? "" : " [\(rules)]")
        }
        return "\(name): " + list.joined(separator: ", ")
    }
}

extension ModelSchema.RelationSummary: CustomStringConvertible {
    /// The type, and what else is said: `array of Desk, inverse office`.
    public var description: String {
        var parts = [(isArray ? "array of " : "") + type.modelName]
        if kind == .key { parts.append("foreign key") }
        if kind == .derived { parts.append("derived") }
        if let inverse { parts.append("inverse \(inverse.name)") }
        if cascades { parts.append("cascade") }
        return parts.joined(separator: ", ")
    }
}

extension Constraint {
    /// Each thing that is demanded, as a short text for developers.
    fileprivate var summaries: [String] {
        switch self {
        case .all(let parts): parts.flatMap(\.summaries)
        default: [summary]
        }
    }

    private var summary: String {
        switch self {
        case .opaque: "a rule in code"
        case .required: "required"
        case .notBlank: "notBlank"
        case .minLength(let length, let unit): "minLength \(length)" + Self.text(of: unit)
        case .maxLength(let length, let unit): "maxLength \(length)" + Self.text(of: unit)
        case .prefix(let text): "prefix \(text.debugDescription)"
        case .suffix(let text): "suffix \(text.debugDescription)"
        case .contains(let text): "contains \(text.debugDescription)"
        case .minItems(let count): "minItems \(count)"
        case .maxItems(let count): "maxItems \(count)"
        case .uniqueItems: "uniqueItems"
        case .containsItems(let constraint, let min, let max):
            "\(min)...\(max.map { "\($0)" } ?? "") items: \(constraint.text)"
        case .minimum(let value): "minimum \(value)"
        case .maximum(let value): "maximum \(value)"
        case .exclusiveMinimum(let value): "exclusiveMinimum \(value)"
        case .exclusiveMaximum(let value): "exclusiveMaximum \(value)"
        case .multipleOf(let value): "multipleOf \(value)"
        case .digits(let integer, let fraction): "digits \(integer).\(fraction)"
        case .pattern(let pattern): "pattern \(pattern.debugDescription)"
        case .format(let format): "format \(format)"
        case .oneOf(let values): "oneOf " + values.map(\.description).joined(separator: " ")
        case .all: text
        case .any(let parts): "any of " + parts.map(\.text).joined(separator: " or ")
        case .not(let constraint): "not \(constraint.text)"
        case .property(let name, let constraint): "\(name): \(constraint.text)"
        case .items(let constraint): "items: \(constraint.text)"
        case .keys(let constraint): "keys: \(constraint.text)"
        case .values(let constraint): "values: \(constraint.text)"
        case .valid: "valid"
        }
    }

    private var text: String {
        let parts = summaries
        return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: ", ") + ")"
    }

    private static func text(of unit: TextUnit) -> String {
        unit == .characters ? "" : " in \(unit)"
    }
}
