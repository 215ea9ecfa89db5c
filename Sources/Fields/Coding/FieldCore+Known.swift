import ModelKitEssentials

extension FieldCore {
    /// Whether `attributeValue(in:)` gives values the form of their type, without a context.
    package final var hasKnownForm: Bool {
        guard hasStandardForm(in: nil) else { return false }
        return Value.self == String.self || Value.self == Int.self || Value.self == Double.self
            || Value.self == Bool.self
    }

    /// Stores a value in a field that has nothing yet, and gives the revision; nil in any other.
    @inline(__always)
    private func storeNew(_ value: Value, _ stamp: Stamp) -> UInt64? {
        lock.lock()
        defer { lock.unlock() }
        guard traits.isEmpty, storage == nil, lastRevision == 0 else { return nil }
        if let state, state.transformer != nil || !state.isUnwatched { return nil }
        let revision = Revision.next()
        storage = value
        noteCommit(revision, stamp, changed: true)
        return revision
    }

    /// Takes the value of a record; nil where it has to be read.
    // Not inlined: where the compiler knows less of the type, it asks for metadata.
    @inline(never)
    final func takeNewValue(
        _ value: UnsafePointer<AttributeValue>,
        _ stamp: Stamp
    ) -> UInt64? {
        if hasClassForm { return nil }
        switch value.pointee {
        case .null:
            let isUnset = lock.withLock {
                storage == nil && lastRevision == 0 && details?.holdsModels != true
            }
            return isUnset ? 0 : nil
        case .int(let number) where Value.self == Int.self:
            return Int(exactly: number).flatMap { cast(to: Int.self).storeNew($0, stamp) }
        case .string(let text) where Value.self == String.self:
            return cast(to: String.self).storeNew(text, stamp)
        case .double(let number) where Value.self == Double.self:
            return cast(to: Double.self).storeNew(number, stamp)
        case .bool(let flag) where Value.self == Bool.self:
            return cast(to: Bool.self).storeNew(flag, stamp)
        case .date(let date) where Value.self == Date.self:
            return cast(to: Date.self).storeNew(date, stamp)
        default: return nil
        }
    }
}
