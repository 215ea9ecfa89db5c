package import ModelKitModels
import ModelKitEssentials

extension ModelSchema {
    /// The field that identifies a record, without which there is none.
    package func identity() throws(StoreError) -> Entry {
        guard let identifier else { throw .schema("\(name) has no identifier field") }
        return identifier
    }

    /// Why no record can be made above the greatest revision.
    package var revisionsUsedUp: StoreError {
        .unsupported("the revisions of \(name) are used up")
    }

    /// Throws for a value that no store keeps: of another kind than its field says, a number that is
    /// not finite, a date that is too far away, arrays in arrays without end.
    package func check(_ value: AttributeValue, of entry: Entry) throws(StoreError) {
        if value.isStorable(as: entry.kind) { return }
        guard value.isOfKind(entry.kind) else {
            throw .schema(
                "\(name).\(entry.key) is declared as \(entry.kind), but its value is \(value.kind)"
            )
        }
        if let reason = value.obstacle() {
            throw .unsupported("\(name).\(entry.key) \(reason), which cannot be stored")
        }
        if entry.kind.holdsNumberTexts {
            throw .schema(
                "\(name).\(entry.key) is declared as \(entry.kind), but its value \(value.shown) is no "
                    + "such number in its shortest form"
            )
        }
    }

    /// Throws if there is a key that no field has.
    package func check(keys: some Sequence<FieldKey>) throws(StoreError) {
        for key in keys where !fields.contains(where: { $0.key == key }) {
            throw .schema("\(name) has no field \(key)")
        }
    }

    /// Throws for changes that would give a record another identifier, and for those that `check`
    /// and `check(keys:)` refuse.
    package func check(
        changes: [FieldKey: AttributeValue],
        of record: Identifier
    ) throws(StoreError) {
        var count = 0
        for entry in fields {
            guard let value = changes[entry.key] else { continue }
            count += 1
            try check(value, of: entry)
            if entry.key == identifier?.key, (try? Identifier(attributeValue: value)) != record {
                throw .unsupported(
                    "the identifier of \(name) \(record) cannot be changed to \(value)"
                )
            }
        }
        if count != changes.count { try check(keys: changes.keys) }
    }

    /// Throws if another type of the same name uses the store.
    package func check(isOf known: ModelSchema) throws(StoreError) {
        guard type != known.type else { return }
        throw .schema(
            "\(String(reflecting: Swift.type(of: known.prototype))) and "
                + "\(String(reflecting: Swift.type(of: prototype))) are both called \(name): "
                + "two types in one store need different names (static var modelName)"
        )
    }
}

extension AttributeValue {
    /// Whether `check` passes it, found quickly; false also for arrays and dictionaries, which have to
    /// be looked through.
    package func isStorable(as kind: AttributeKind) -> Bool {
        switch self {
        case .null: true
        case .bool: kind == .bool || kind == .any
        case .int(let number): kind == .int || kind == .any || kind == .unsigned && number >= 0
        case .string(let text):
            kind.withoutUUIDs == .string || kind == .any
                || kind == .decimal && NumberText.isNumber(text)
                || kind == .unsigned && NumberText.isWide(text)
        case .data: kind == .data || kind == .any
        case .double(let number): number.isFinite && (kind == .double || kind == .any)
        case .date, .array, .dictionary: false
        }
    }

    /// Why no store can keep it; nil if one can.
    package func obstacle(depth: Int = 200) -> String? {
        switch self {
        case .null, .bool, .int, .string, .data: return nil
        case .double(let number): return number.isFinite ? nil : "is \(number)"
        case .date(let date):
            return date.timeIntervalSinceReferenceDate.magnitude < 9e12
                ? nil : "is a date that is too far away"
        case .array(let values): return Self.obstacle(in: values, depth)
        case .dictionary(let values): return Self.obstacle(in: values.values, depth)
        }
    }

    private static func obstacle(
        in values: some Sequence<AttributeValue>,
        _ depth: Int
    ) -> String? {
        if depth == 0 { return "is nested too deep" }
        // A lazy collection would ask what it finds twice, at each depth.
        for value in values {
            if let reason = value.obstacle(depth: depth - 1) { return reason }
        }
        return nil
    }
}
