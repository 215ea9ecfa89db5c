import ModelKitFields

// Writing fields straight as JSON, without attribute values between. What it cannot say is left to the
// way through attribute values, which says what is wrong.

extension JSONWriter {
    /// So many models inside of each other are written by recursion, which takes room on the stack.
    private static let recursionLimit = 16

    /// Writes a model as an object, or only its identifier inside of itself.
    mutating func write(_ model: some Model, in traversal: inout Traversal) -> Outcome {
        guard depth < Self.recursionLimit, model.dynamicFields.isEmpty else { return .undecided }
        let plan = model.ownSchema.plan(in: traversal.registry).json
        var outcome: Outcome?
        traversal.visit(model, hasName: { model.identifier != nil }) { traversal in
            outcome = writeMembers(of: model, by: plan, in: &traversal, isInner: false)
        }
        if traversal.cut != nil { return .undecided }
        if let outcome { return outcome }
        return writeTree(.dictionary(model.reference(in: &traversal)))
    }

    mutating func write(_ models: [some Model], in traversal: inout Traversal) -> Outcome {
        bytes.append(UInt8(ascii: "["))
        depth += 1
        defer { depth -= 1 }
        let start = bytes.count
        for index in models.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            // As much as the others take if they are like the first, but within limits.
            if index == 1 {
                bytes.reserve(min(min(bytes.count - start, 4096) * models.count, 1 << 22))
            }
            guard case .written = write(models[index], in: &traversal) else { return .undecided }
        }
        bytes.append(UInt8(ascii: "]"))
        return .written
    }

    /// Writes the fields of a model; an inner object is only there for what is in it.
    private mutating func writeMembers(
        of model: AnyObject,
        by plan: JSONPlan,
        in traversal: inout Traversal,
        isInner: Bool
    ) -> Outcome {
        if isExact, plan.hasDollar { return .undecided }
        bytes.append(UInt8(ascii: "{"))
        depth += 1
        defer { depth -= 1 }
        var isEmpty = true
        for slot in plan.unretained {
            let start = bytes.count
            let outcome = slot._withUnsafeGuaranteedRef { slot in
                if isEmpty {
                    slot.written.withUnsafeBytes { bytes.append($0) }
                } else {
                    slot.separated.withUnsafeBytes { bytes.append($0) }
                }
                return writeMember(slot, of: model, in: &traversal)
            }
            switch outcome {
            case .written: isEmpty = false
            case .nothing: bytes.truncate(to: start)
            case .undecided: return .undecided
            }
        }
        if isInner && isEmpty { return .nothing }
        bytes.append(UInt8(ascii: "}"))
        return .written
    }

    @inline(__always)
    private mutating func writeMember(
        _ slot: JSONPlan.Slot,
        of model: AnyObject,
        in traversal: inout Traversal
    ) -> Outcome {
        if let field = slot.unretainedField(in: model) {
            return write(slot, field, in: &traversal)
        }
        guard let field = slot.access?.field(in: model) else {
            return slot.inner.map {
                writeMembers(of: model, by: $0, in: &traversal, isInner: true)
            } ?? .nothing
        }
        defer { withExtendedLifetime(field) {} }
        return write(slot, .passUnretained(field), in: &traversal)
    }

    /// Writes the value of a field, which somebody else holds.
    private mutating func write(
        _ slot: JSONPlan.Slot,
        _ field: Unmanaged<AnyField>,
        in traversal: inout Traversal
    ) -> Outcome {
        switch slot.form {
        case .text: return write(String.self, of: field, in: &traversal) { $0.write($1) }
        case .integer: return write(Int.self, of: field, in: &traversal) { $0.write(Int64($1)) }
        case .number: return write(Double.self, of: field, in: &traversal) { $0.write($1) }
        case .boolean: return write(Bool.self, of: field, in: &traversal) { $0.write($1) }
        case .texts:
            return write([String].self, of: field, in: &traversal) { writer, texts in
                writer.bytes.append(UInt8(ascii: "["))
                for (index, text) in texts.enumerated() {
                    if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
                    writer.write(text)
                }
                writer.bytes.append(UInt8(ascii: "]"))
            }
        case .model:
            let field = field.takeUnretainedValue()
            return slot.models?.write(field, to: &self, in: &traversal) ?? .nothing
        case .models:
            let field = field.takeUnretainedValue()
            return slot.models?.writeArray(field, to: &self, in: &traversal) ?? .nothing
        case .wide, .any: return writeAny(field.takeUnretainedValue(), in: &traversal)
        }
    }

    @inline(__always)
    private mutating func write<Value: Equatable & Sendable>(
        _ type: Value.Type,
        of field: Unmanaged<AnyField>,
        in traversal: inout Traversal,
        _ write: (inout JSONWriter, Value) -> Void
    ) -> Outcome {
        let value: StandardValue<Value> = field._withUnsafeGuaranteedRef {
            $0.standardValue(in: traversal.registry)
        }
        switch value {
        case .value(let value):
            write(&self, value)
            return issues.isEmpty ? .written : .undecided
        case .absent: return .nothing
        case .null: return writeNull(in: traversal)
        case .other: return writeAny(field.takeUnretainedValue(), in: &traversal)
        }
    }

    mutating func writeNull(in traversal: Traversal) -> Outcome {
        guard traversal.writesNull else { return .nothing }
        bytes.append("null")
        return .written
    }

    /// Writes whatever value a field has.
    mutating func writeAny(_ field: AnyField, in traversal: inout Traversal) -> Outcome {
        guard let value = field.attributeValue(in: &traversal) else { return .nothing }
        return value.isNull ? writeNull(in: traversal) : writeTree(value)
    }

    private mutating func writeTree(_ value: AttributeValue) -> Outcome {
        write(value)
        return issues.isEmpty ? .written : .undecided
    }
}

extension ModelSchema.Entry {
    /// The JSON of the models in a model's field, as a store keeps it that has JSON for arrays and dictionaries; nil
    /// where there are none, and where attribute values have to say what is kept.
    package func exactJSON(in model: AnyObject) -> String? {
        guard let models, relationKind == .embedded, kind == .array || kind == .dictionary else {
            return nil
        }
        let field = field(in: model)
        var writer = JSONWriter(isExact: true)
        var traversal = Traversal()
        let outcome =
            kind == .array
            ? models.writeArray(field, to: &writer, in: &traversal)
            : models.write(field, to: &writer, in: &traversal)
        guard case .written = outcome else { return nil }
        let isNull = writer.bytes.count == 4 && writer.bytes.text == "null"
        return isNull ? nil : writer.bytes.text
    }
}
