import ModelKitFields

/// One check of a value by a JSON Schema.
struct SchemaEvaluation {
    private let program: SchemaProgram
    private(set) var issues: [Issue] = []
    /// Where the value stands that is checked now.
    private var path: [FieldPath.Component] = []
    /// Whether only the verdict is wanted.
    private var isSilent = false
    private var depth = 0

    init(_ program: SchemaProgram) {
        self.program = program
    }

    /// Whether a schema accepts a value; if it does not, its issues are added.
    mutating func accepts(_ value: AttributeValue, _ schema: Int) -> Bool {
        depth += 1
        defer { depth -= 1 }
        var accepts = false
        DeepStack.run(atDepth: depth) {
            accepts = all(program.schemas[schema]) { $0.accepts(value, $1) }
        }
        return accepts
    }

    /// Whether a value meets a keyword; one of another kind than the keyword is about does.
    private mutating func accepts(_ value: AttributeValue, _ keyword: SchemaKeyword) -> Bool {
        switch (keyword, value) {
        case (.nothing, _): return fail(.notAllowed)
        case (.types(let types), _):
            if types.contains(where: { $0.has(value) }) { return true }
            let phrase = types.map(\.phrase).joined(separator: " or ")
            return fail(.wrongType(value, expected: phrase))
        case (.values(let values, let isConstant), _):
            let key = JSONEquality(value)
            if values.contains(where: { JSONEquality($0) == key }) { return true }
            return fail(
                isConstant
                    ? Issue("equal", "must be equal to", values[0], as: "value")
                    : Issue("oneOf", "must be one of", .array(values), as: "values")
            )
        case (.bound(let bound, let side), _):
            guard value.isNumber else { return true }
            return side.accepts(value.order(to: bound)) || fail(side.issue(bound))
        case (.multiple(let divisor), _):
            if !value.isNumber || isDecimalMultiple("\(value)", of: "\(divisor)") { return true }
            return fail(Issue("multipleOf", "must be a multiple of", divisor, as: "divisor"))
        case (.text(let rule), _): return value.jsonText.map { passes(rule, $0) } ?? true
        case (.all(let schemas), _): return all(schemas) { $0.accepts(value, $1) }
        case (.any(let schemas), _):
            let start = issues.count
            guard schemas.contains(where: { accepts(value, $0) }) else { return false }
            issues.removeSubrange(start...)
            return true
        case (.one(let schemas), _):
            let start = issues.count
            let count = schemas.count { accepts(value, $0) }
            if count == 0 { return false }
            issues.removeSubrange(start...)
            let message = "must satisfy exactly one of several conditions"
            return count == 1 || fail(Issue(standard: "exactlyOne", message: message))
        case (.not(let schema), _): return !verdict(value, schema) || fail(.notAllowed)
        case (.condition(let condition, let then, let otherwise), _):
            let next = verdict(value, condition) ? then : otherwise
            return next.map { accepts(value, $0) } ?? true
        case (.count(let rule), .array(let elements)): return passes(rule, elements)
        case (.unique, .array(let elements)):
            if Set(elements.map(JSONEquality.init)).count == elements.count { return true }
            return fail(Issue(standard: "unique", message: "must not contain duplicates"))
        case (.elements(let first, let rest), .array(let elements)):
            return all(elements.enumerated()) { evaluation, element in
                let schema = element.offset < first.count ? first[element.offset] : rest
                guard let schema else { return true }
                return evaluation.accepts(element.element, schema, at: .index(element.offset))
            }
        case (.contains(let schema, let min, let max), .array(let elements)):
            let count = elements.count { verdict($0, schema) }
            return count >= min && count <= max ?? .max || fail(.contains(min: min, max: max))
        case (.memberCount(let rule), .dictionary(let members)): return passes(rule, members)
        case (.required(let names), .dictionary(let members)): return has(names, members)
        case (.dependent(let dependents), .dictionary(let members)):
            return all(dependents) { evaluation, dependent in
                members.member(dependent.name) == nil
                    || evaluation.has(dependent.required, members)
            }
        case (.names(let schema), .dictionary(let members)):
            return all(members.keys.sorted()) { $0.accepts(.string($1), schema, at: .key($1)) }
        case (.members(let schemas), .dictionary(let members)): return accepts(members, schemas)
        case (.dependentSchemas(let dependents), .dictionary(let members)):
            return all(dependents) { evaluation, dependent in
                members.member(dependent.name) == nil
                    || evaluation.accepts(value, dependent.schema)
            }
        default: return true
        }
    }

    private mutating func accepts(
        _ members: AttributeDictionary,
        _ schemas: SchemaMembers
    ) -> Bool {
        let accepts = all(schemas.named) { evaluation, named in
            guard let value = members.member(named.name) else { return true }
            return evaluation.accepts(value, named.schema, at: .key(named.name))
        }
        if !accepts && isSilent || schemas.matching.isEmpty && schemas.others == nil {
            return accepts
        }
        // In an order that the dictionary does not have.
        return all(members.sorted { $0.key < $1.key }) { evaluation, member in
            let matching = schemas.matching.filter { $0.pattern.isFound(in: member.key) }
            let isKnown = !matching.isEmpty || schemas.has(member.key)
            var asked = matching.map(\.schema)
            if !isKnown, let others = schemas.others { asked.append(others) }
            return evaluation.all(asked) { $0.accepts(member.value, $1, at: .key(member.key)) }
        } && accepts
    }
}

extension SchemaEvaluation {
    /// Whether a schema accepts a part of the value.
    private mutating func accepts(
        _ value: AttributeValue,
        _ schema: Int,
        at step: FieldPath.Component
    ) -> Bool {
        path.append(step)
        defer { path.removeLast() }
        return accepts(value, schema)
    }

    /// Whether all parts are accepted; if only the verdict is wanted, none is asked after one that is not.
    private mutating func all<Parts: Sequence>(
        _ parts: Parts,
        _ accepts: (inout Self, Parts.Element) -> Bool
    ) -> Bool {
        var all = true
        for part in parts where !accepts(&self, part) {
            if isSilent { return false }
            all = false
        }
        return all
    }

    /// Whether a schema accepts a value, without issues.
    private mutating func verdict(_ value: AttributeValue, _ schema: Int) -> Bool {
        let wasSilent = isSilent
        isSilent = true
        defer { isSilent = wasSilent }
        return accepts(value, schema)
    }

    private mutating func has(_ names: [String], _ members: AttributeDictionary) -> Bool {
        all(names) { evaluation, name in
            if members.member(name) != nil { return true }
            evaluation.path.append(.key(name))
            defer { evaluation.path.removeLast() }
            return evaluation.fail(Issue(standard: "required", message: "is required"))
        }
    }

    private mutating func passes<Value>(_ rule: Rule<Value>, _ value: Value) -> Bool {
        let found = rule.issues(for: value)
        for issue in found { _ = fail(issue) }
        return found.isEmpty
    }

    private mutating func fail(_ issue: @autoclosure () -> Issue) -> Bool {
        if !isSilent { issues.append(issue().prefixed(by: FieldPath(path))) }
        return false
    }
}

extension SchemaMembers {
    /// Whether a name is among those that are known.
    fileprivate func has(_ name: String) -> Bool {
        named.contains { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

extension Issue {
    fileprivate static let notAllowed = Issue(standard: "not", message: "is not allowed")
}
