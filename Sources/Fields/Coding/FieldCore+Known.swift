import ModelKitEssentials

extension FieldCore {
    /// Whether `attributeValue(in:)` gives values the form of their type, without a context.
    package final var hasKnownForm: Bool {
        guard hasStandardForm(in: nil) else { return false }
        return Value.self == String.self || Value.self == Int.self || Value.self == Double.self
            || Value.self == Bool.self
    }

    /// Stores a value in a field that has nothing yet; false in any other.
    @inline(__always)
    private func storeNew(_ value: Value, _ revision: UInt64, _ stamp: Stamp) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard traits.isEmpty, storage == nil, lastRevision == 0 else { return false }
        if let state, state.transformer != nil || !state.isUnwatched { return false }
        storage = value
        noteCommit(revision, stamp, changed: true)
        return true
    }

    /// Takes the value of a record under a revision; false where it has to be read.
    // Not inlined: where the compiler knows less of the type, it asks for metadata.
    @inline(never)
    final func takeNewValue(
        _ value: UnsafePointer<AttributeValue>,
        _ revision: UInt64,
        _ stamp: Stamp
    ) -> Bool {
        if hasClassForm { return false }
        switch value.pointee {
        case .null:
            return lock.withLock {
                storage == nil && lastRevision == 0 && details?.holdsModels != true
            }
        case .int(let number) where Value.self == Int.self:
            return Int(exactly: number)
                .map { cast(to: Int.self).storeNew($0, revision, stamp) } ?? false
        case .string(let text) where Value.self == String.self:
            return cast(to: String.self).storeNew(text, revision, stamp)
        case .double(let number) where Value.self == Double.self:
            return cast(to: Double.self).storeNew(number, revision, stamp)
        case .bool(let flag) where Value.self == Bool.self:
            return cast(to: Bool.self).storeNew(flag, revision, stamp)
        case .date(let date) where Value.self == Date.self:
            return cast(to: Date.self).storeNew(date, revision, stamp)
        default: return false
        }
    }
}
