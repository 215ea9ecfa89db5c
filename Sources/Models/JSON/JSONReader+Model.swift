import ModelKitFields

// Reading JSON straight to fields, without attribute values between, where a text is as it mostly is.
// Whatever is not (another type than the field has, a key that comes twice, a syntax error) is left to
// the way through attribute values, which reads the object again, into another model. So there is one
// judge of every text, and this is only a quicker way to the same.

extension JSONReader {
    /// So many objects inside of each other are read by recursion, which takes room on the stack.
    private static let recursionLimit = 16

    /// Reads the object that stands here into a model that nobody knows yet.
    ///
    /// Inside of another, it may turn out to be that one.
    ///
    /// - Returns: False where attribute values have to decide; then the model is of no use.
    mutating func read<M: Model>(
        _ model: M,
        isInside: Bool = false,
        in scope: inout ImportScope
    ) throws(Failure) -> Bool {
        let schema = M.schema
        let plan = schema.plan(in: scope.registry)
        guard plan.readsDirectly, scope.isDroppable, model.dynamicFields.isEmpty else {
            return false
        }
        let start = position
        guard try readMembers(of: model, by: plan.json, in: &scope) else { return false }
        if !isInside || !schema.mayBeReferredTo { return true }
        return schema.identifier?.isLoaded(in: model) != true || hasComma(since: start)
    }

    /// Whether an object stands here, or an array that begins with one.
    var beginsObject: Bool {
        var place = position
        if next == UInt8(ascii: "[") { place += 1 }
        while place < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[place]) { place += 1 }
        return place < bytes.count && bytes[place] == UInt8(ascii: "{")
    }

    /// Whether there is a comma in what was read, so that it is more than an identifier.
    private func hasComma(since start: Int) -> Bool {
        var place = start
        var isInString = false
        while place < position {
            switch bytes[place] {
            case UInt8(ascii: ",") where !isInString: return true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\"): place += 1
            default: break
            }
            place += 1
        }
        return false
    }

    private mutating func readMembers(
        of model: AnyObject,
        by plan: JSONPlan,
        in scope: inout ImportScope
    ) throws(Failure) -> Bool {
        guard depth < Self.recursionLimit else { return false }
        try checkDepth(depth)
        depth += 1
        defer { depth -= 1 }
        position += 1
        skipSpace()
        if take(byte: "}") { return true }
        var seen: UInt64 = 0
        var seenLater: Set<Int> = []
        var last = plan.slots.count
        while true {
            let slot = try readKey(of: plan, after: last)
            skipSpace()
            if let slot {
                last = slot
                if slot < 64 {
                    if seen & 1 << slot != 0 { return false }
                    seen |= 1 << slot
                } else if !seenLater.insert(slot).inserted {
                    return false
                }
                guard try readMember(plan.slots[slot], of: model, in: &scope) else { return false }
            } else {
                try skipValue()
            }
            skipSpace()
            if take(byte: ",") {
                skipSpace()
                continue
            }
            guard take(byte: "}") else { throw expected("',' or '}'") }
            return true
        }
    }

    /// Reads a key and the colon after it.
    ///
    /// - Returns: Its slot; nil if no field has it.
    @inline(__always)
    private mutating func readKey(
        of plan: JSONPlan,
        after last: Int
    ) throws(Failure) -> Int? {
        let guess = plan.follower(of: last)
        if guess < plan.unretained.count {
            let length = plan.unretained[guess]._withUnsafeGuaranteedRef { slot in
                slot.stands(at: position, in: bytes) ? slot.written.count : 0
            }
            position += length
            if length > 0 { return guess }
        }
        let slot = try readSlot(of: plan)
        skipSpace()
        guard take(byte: ":") else { throw expected("':'") }
        if let slot { plan.note(slot, after: last) }
        return slot
    }

    /// Reads a key; nil if no field has it.
    private mutating func readSlot(of plan: JSONPlan) throws(Failure) -> Int? {
        guard next == UInt8(ascii: "\"") else { throw expected("a key in quotes") }
        let start = position + 1
        let run = PlainRun(in: bytes, from: start)
        if run.end < bytes.count, bytes[run.end] == UInt8(ascii: "\"") {
            let slot = plan.slot(of: UnsafeRawBufferPointer(rebasing: bytes[start..<run.end]))
            if slot != nil || run.isASCII && plan.knowsASCIIByBytes {
                position = run.end + 1
                return slot
            }
        }
        return plan.slot(named: try readString())
    }

    @inline(__always)
    private mutating func readMember(
        _ slot: JSONPlan.Slot,
        of model: AnyObject,
        in scope: inout ImportScope
    ) throws(Failure) -> Bool {
        if let field = slot.unretainedField(in: model) {
            return try readMember(slot, into: field, in: &scope)
        }
        guard let field = slot.access?.field(in: model) else {
            guard let inner = slot.inner, next == UInt8(ascii: "{") else { return false }
            return try readMembers(of: model, by: inner, in: &scope)
        }
        defer { withExtendedLifetime(field) {} }
        return try readMember(slot, into: .passUnretained(field), in: &scope)
    }

    private mutating func readMember(
        _ slot: JSONPlan.Slot,
        into unretained: Unmanaged<AnyField>,
        in scope: inout ImportScope
    ) throws(Failure) -> Bool {
        if takeEmptyText() { return set(.null, in: unretained.takeUnretainedValue(), &scope) }
        let registry = scope.registry
        switch slot.form {
        case .text:
            guard next == UInt8(ascii: "\"") else { break }
            let text = try readString()
            if unretained._withUnsafeGuaranteedRef({ $0.take(text, in: registry) }) { return true }
            return set(.string(text), in: unretained.takeUnretainedValue(), &scope)
        case .integer:
            guard startsNumber else { break }
            if let integer = readShortInteger() {
                if unretained._withUnsafeGuaranteedRef({ $0.take(integer, in: registry) }) {
                    return true
                }
                return set(.int(Int64(integer)), in: unretained.takeUnretainedValue(), &scope)
            }
            let value = try readNumber()
            if case .int(let integer) = value, let integer = Int(exactly: integer),
                unretained._withUnsafeGuaranteedRef({ $0.take(integer, in: registry) })
            {
                return true
            }
            return set(value, in: unretained.takeUnretainedValue(), &scope)
        case .number:
            guard startsNumber else { break }
            let value = try readNumber()
            if case .double(let number) = value,
                unretained._withUnsafeGuaranteedRef({ $0.take(number, in: registry) })
            {
                return true
            }
            return set(value, in: unretained.takeUnretainedValue(), &scope)
        case .boolean:
            let isTrue = take("true")
            guard isTrue || take("false") else { break }
            if unretained._withUnsafeGuaranteedRef({ $0.take(isTrue, in: registry) }) {
                return true
            }
            return set(.bool(isTrue), in: unretained.takeUnretainedValue(), &scope)
        case .texts:
            guard next == UInt8(ascii: "[") else { break }
            guard let texts = try readTexts() else { return false }
            if unretained._withUnsafeGuaranteedRef({ $0.take(texts, in: registry) }) {
                return true
            }
            return set(texts.attributeValue, in: unretained.takeUnretainedValue(), &scope)
        case .model:
            guard let form = slot.models else { break }
            return try form.read(&self, into: unretained.takeUnretainedValue(), in: &scope)
        case .models:
            guard let form = slot.models else { break }
            return try form.readArray(&self, into: unretained.takeUnretainedValue(), in: &scope)
        case .wide:
            return readWide(into: unretained.takeUnretainedValue(), in: &scope)
        case .any:
            guard next == UInt8(ascii: "\"") else { break }
            return set(.string(try readString()), in: unretained.takeUnretainedValue(), &scope)
        }
        return try readAny(into: unretained.takeUnretainedValue(), in: &scope)
    }

    /// Reads an array of strings; nil where there is something else in it.
    private mutating func readTexts() throws(Failure) -> [String]? {
        var texts: [String] = []
        let areTexts = try readElements { reader throws(Failure) in
            guard reader.next == UInt8(ascii: "\""), !reader.takeEmptyText() else { return false }
            let text = try reader.readString()
            if texts.isEmpty { texts.reserveCapacity(4) }
            texts.append(text)
            return true
        }
        return areTexts ? texts : nil
    }

    /// Reads whatever value stands here into a field.
    mutating func readAny(
        into field: AnyField,
        in scope: inout ImportScope
    ) throws(Failure) -> Bool {
        set(try readValue(), in: field, &scope)
    }

    /// Reads whatever value stands here into a field, unless there are numbers in it of which attribute
    /// values are to keep the digits.
    mutating func readWide(into field: AnyField, in scope: inout ImportScope) -> Bool {
        wideNumbers = .refused
        defer { wideNumbers = .rounded }
        do throws(Failure) {
            return try readAny(into: field, in: &scope)
        } catch {
            abandonValue()
            return false
        }
    }

    /// Moves over a value that nobody reads, whatever numbers are in it.
    mutating func skipValue() throws(Failure) {
        if next == UInt8(ascii: "\"") {
            // Of nothing but plain ASCII nothing has to be made to know that it is a string.
            let run = PlainRun(in: bytes, from: position + 1)
            if run.isASCII, run.end < bytes.count, bytes[run.end] == UInt8(ascii: "\"") {
                position = run.end + 1
                return
            }
        }
        if startsNumber, readShortInteger() != nil { return }
        wideNumbers = .ignored
        defer { wideNumbers = .rounded }
        _ = try readValue()
    }

    /// Reads the array that stands here; stops where an element is not read.
    mutating func readElements(
        _ readElement: (inout JSONReader) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        let outside = depth
        defer { depth = outside }
        var hasNext = try openElements()
        while hasNext {
            guard try readElement(&self) else { return false }
            hasNext = try hasNextElement()
        }
        return true
    }

    /// Reads the bracket of the array that stands here.
    ///
    /// - Returns: Whether there is an element.
    mutating func openElements() throws(Failure) -> Bool {
        try checkDepth(depth)
        depth += 1
        position += 1
        skipSpace()
        return !take(byte: "]")
    }

    /// Reads what stands after an element, and says whether there is another.
    mutating func hasNextElement() throws(Failure) -> Bool {
        skipSpace()
        if take(byte: ",") {
            skipSpace()
            return true
        }
        guard take(byte: "]") else { throw expected("',' or ']'") }
        return false
    }

    private var startsNumber: Bool {
        next == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next)
    }

    private func set(
        _ value: AttributeValue,
        in field: AnyField,
        _ scope: inout ImportScope
    ) -> Bool {
        let before = scope.issues.count
        field.read(value, at: [], revision: nil, in: &scope)
        if scope.issues.count == before { return true }
        // They are found again, with their paths.
        scope.issues.removeSubrange(before...)
        return false
    }
}
