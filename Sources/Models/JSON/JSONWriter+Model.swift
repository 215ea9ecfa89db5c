import ModelKitFields

// Writing fields straight as JSON, without attribute values between. What it cannot say is left to the
// way through attribute values, which tells what is wrong.

extension JSONWriter {
    /// What came of writing a value.
    enum Outcome {
        case written
        /// There is none, not even null.
        case nothing
        /// Attribute values have to decide.
        case undecided
    }

    /// So many models inside of each other are written by recursion, which takes room on the stack.
    private static let recursionLimit = 16

    /// Writes a model as an object, or only its identifier inside of itself.
    mutating func write(_ model: some Model, in traversal: inout Traversal) -> Outcome {
        guard depth < Self.recursionLimit, model.dynamicFields.isEmpty else { return .undecided }
        let plan = model.ownSchema.plan(in: traversal.registry).json
        let outcome = traversal.visit(model, hasName: model.identifier != nil) { traversal in
            writeMembers(of: model, by: plan, in: &traversal, isInner: false)
        }
        if let outcome { return outcome }
        return writeTree(.dictionary(model.reference(in: &traversal)))
    }

    mutating func write(_ models: [some Model], in traversal: inout Traversal) -> Outcome {
        bytes.append(UInt8(ascii: "["))
        depth += 1
        defer { depth -= 1 }
        for (index, model) in models.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            guard case .written = write(model, in: &traversal) else { return .undecided }
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
        bytes.append(UInt8(ascii: "{"))
        depth += 1
        defer { depth -= 1 }
        var isEmpty = true
        for slot in plan.slots {
            let start = bytes.count
            if !isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: slot.written)
            let outcome = writeMember(slot, of: model, in: &traversal)
            switch outcome {
            case .written: isEmpty = false
            case .nothing: bytes.removeSubrange(start...)
            case .undecided: return .undecided
            }
        }
        if isInner && isEmpty { return .nothing }
        bytes.append(UInt8(ascii: "}"))
        return .written
    }

    private mutating func writeMember(
        _ slot: JSONPlan.Slot,
        of model: AnyObject,
        in traversal: inout Traversal
    ) -> Outcome {
        guard let field = slot.entry?.field(in: model) else {
            return slot.inner.map {
                writeMembers(of: model, by: $0, in: &traversal, isInner: true)
            } ?? .nothing
        }
        let registry = traversal.registry
        switch slot.form {
        case .text:
            return write(field, field.text(in: registry), in: &traversal) { $0.write($1) }
        case .integer:
            return write(field, field.integer(in: registry), in: &traversal) { $0.write(Int64($1)) }
        case .number:
            return write(field, field.number(in: registry), in: &traversal) { $0.write($1) }
        case .boolean:
            return write(field, field.boolean(in: registry), in: &traversal) { $0.write($1) }
        case .texts:
            return write(field, field.texts(in: registry), in: &traversal) { writer, texts in
                writer.bytes.append(UInt8(ascii: "["))
                for (index, text) in texts.enumerated() {
                    if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
                    writer.write(text)
                }
                writer.bytes.append(UInt8(ascii: "]"))
            }
        case .model:
            return slot.models?.write(field, to: &self, in: &traversal) ?? .nothing
        case .models:
            return slot.models?.writeArray(field, to: &self, in: &traversal) ?? .nothing
        case .any: return writeAny(field, in: &traversal)
        }
    }

    @inline(__always)
    private mutating func write<Value>(
        _ field: AnyField,
        _ value: StandardValue<Value>,
        in traversal: inout Traversal,
        _ write: (inout JSONWriter, Value) -> Void
    ) -> Outcome {
        switch value {
        case .value(let value):
            write(&self, value)
            return issues.isEmpty ? .written : .undecided
        case .absent: return .nothing
        case .null: return writeNull(in: traversal)
        case .other: return writeAny(field, in: &traversal)
        }
    }

    mutating func writeNull(in traversal: Traversal) -> Outcome {
        guard traversal.writesNull else { return .nothing }
        bytes.append(contentsOf: "null".utf8)
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
