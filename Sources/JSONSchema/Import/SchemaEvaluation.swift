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
        // That often is often enough.
        guard depth % 8 == 0 else { return meets(value, schema) }
        var accepts = false
        DeepStack.run(atDepth: depth) { accepts = meets(value, schema) }
        return accepts
    }

    private mutating func meets(_ value: AttributeValue, _ schema: Int) -> Bool {
        var accepts = true
        for keyword in program.schemas[schema] where !self.accepts(value, keyword) {
            if isSilent { return false }
            accepts = false
        }
        return accepts
    }

    private mutating func accepts(_ value: AttributeValue, _ keyword: SchemaKeyword) -> Bool {
        switch keyword {
        case .nothing: return fail(.notAllowed)
        case .types(let types):
            if types.contains(where: { $0.has(value) }) { return true }
            let phrase = types.map(\.phrase).joined(separator: " or ")
            return fail(.wrongType(value, expected: phrase))
        case .values(let values, let isConstant):
            let key = JSONEquality(value)
            if values.contains(where: { JSONEquality($0) == key }) { return true }
            return fail(
                isConstant
                    ? Issue("equal", "must be equal to", values[0], as: "value")
                    : Issue("oneOf", "must be one of", .array(values), as: "values")
            )
        case .bound(let bound, let side):
            guard value.isNumber else { return true }
            return side.accepts(value.order(to: bound)) || fail(side.issue(bound))
        case .multiple(let divisor):
            guard value.isNumber, !value.isMultiple(of: divisor) else { return true }
            return fail(Issue("multipleOf", "must be a multiple of", divisor, as: "divisor"))
        case .text(let rule):
            guard let text = value.jsonText else { return true }
            return passes(rule, text)
        case .all(let schemas): return every(schemas, value)
        case .any(let schemas):
            let start = issues.count
            guard schemas.contains(where: { accepts(value, $0) }) else { return false }
            issues.removeSubrange(start...)
            return true
        case .one(let schemas):
            let start = issues.count
            let count = schemas.count { accepts(value, $0) }
            if count == 0 { return false }
            issues.removeSubrange(start...)
            let message = "must satisfy exactly one of several conditions"
            return count == 1 || fail(Issue(standard: "exactlyOne", message: message))
        case .not(let schema): return !verdict(value, schema) || fail(.notAllowed)
        case .condition(let condition, let then, let otherwise):
            let next = verdict(value, condition) ? then : otherwise
            return next.map { accepts(value, $0) } ?? true
        case .count, .unique, .elements, .contains:
            guard case .array(let elements) = value else { return true }
            return accepts(elements, keyword)
        case .memberCount, .required, .dependent, .members, .names, .dependentSchemas:
            guard case .dictionary(let members) = value else { return true }
            return accepts(members, value, keyword)
        }
    }

    private mutating func accepts(
        _ elements: [AttributeValue],
        _ keyword: SchemaKeyword
    ) -> Bool {
        switch keyword {
        case .count(let rule): return passes(rule, elements)
        case .unique:
            if Set(elements.map(JSONEquality.init)).count == elements.count { return true }
            return fail(Issue(standard: "unique", message: "must not contain duplicates"))
        case .elements(let first, let rest):
            var accepts = true
            for (index, element) in elements.enumerated() {
                guard let schema = index < first.count ? first[index] : rest else { break }
                accepts = self.accepts(element, schema, at: .index(index)) && accepts
                if !accepts && isSilent { return false }
            }
            return accepts
        case .contains(let schema, let min, let max):
            var count = 0
            for element in elements where verdict(element, schema) { count += 1 }
            return count >= min && count <= max ?? .max || fail(.contains(min: min, max: max))
        default: return true
        }
    }

    private mutating func accepts(
        _ members: AttributeDictionary,
        _ value: AttributeValue,
        _ keyword: SchemaKeyword
    ) -> Bool {
        switch keyword {
        case .memberCount(let rule): return passes(rule, members)
        case .required(let names): return has(names, members)
        case .dependent(let dependents):
            var accepts = true
            for (name, required) in dependents where members.member(name) != nil {
                accepts = has(required, members) && accepts
            }
            return accepts
        case .names(let schema):
            var accepts = true
            for name in members.keys.sorted() {
                accepts = self.accepts(.string(name), schema, at: .key(name)) && accepts
            }
            return accepts
        case .members(let schemas): return accepts(members, schemas)
        case .dependentSchemas(let dependents):
            var accepts = true
            for (name, schema) in dependents where members.member(name) != nil {
                accepts = self.accepts(value, schema) && accepts
            }
            return accepts
        default: return true
        }
    }

    private mutating func accepts(
        _ members: AttributeDictionary,
        _ schemas: SchemaMembers
    ) -> Bool {
        var accepts = true
        for (name, schema) in schemas.named {
            guard let value = members.member(name) else { continue }
            accepts = self.accepts(value, schema, at: .key(name)) && accepts
            if !accepts && isSilent { return false }
        }
        if schemas.matching.isEmpty && schemas.others == nil { return accepts }
        // In an order that the dictionary does not have.
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            var isKnown = schemas.has(name)
            for (pattern, schema) in schemas.matching where pattern.isFound(in: name) {
                isKnown = true
                accepts = self.accepts(value, schema, at: .key(name)) && accepts
            }
            if !isKnown, let others = schemas.others {
                accepts = self.accepts(value, others, at: .key(name)) && accepts
            }
            if !accepts && isSilent { return false }
        }
        return accepts
    }
}

extension SchemaEvaluation {
    private mutating func accepts(
        _ value: AttributeValue,
        _ schema: Int,
        at step: FieldPath.Component
    ) -> Bool {
        path.append(step)
        defer { path.removeLast() }
        return accepts(value, schema)
    }

    /// Whether all schemas accept a value.
    private mutating func every(_ schemas: [Int], _ value: AttributeValue) -> Bool {
        var accepts = true
        for schema in schemas where !self.accepts(value, schema) {
            if isSilent { return false }
            accepts = false
        }
        return accepts
    }

    /// Whether a schema accepts a value, without issues.
    private mutating func verdict(_ value: AttributeValue, _ schema: Int) -> Bool {
        let wasSilent = isSilent
        isSilent = true
        defer { isSilent = wasSilent }
        return accepts(value, schema)
    }

    private mutating func has(_ names: [String], _ members: AttributeDictionary) -> Bool {
        var hasAll = true
        for name in names where members.member(name) == nil {
            hasAll = false
            path.append(.key(name))
            _ = fail(Issue(standard: "required", message: "is required"))
            path.removeLast()
        }
        return hasAll
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

extension AttributeValue {
    fileprivate var isNumber: Bool { SchemaType.number.has(self) }
}

extension Issue {
    fileprivate static let notAllowed = Issue(standard: "not", message: "is not allowed")
}
