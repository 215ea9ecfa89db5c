import ModelKitEssentials

extension FieldCore {
    /// Whether `exportValue` gives values the form of their type, without a context.
    package final var hasKnownForm: Bool {
        guard hasStandardForm(in: nil) else { return false }
        return Value.self == String.self || Value.self == Int.self || Value.self == Double.self
            || Value.self == Bool.self
    }

    /// The value for a dictionary.
    final func exportValue(in traversal: inout Traversal) -> AttributeValue? {
        if hasClassForm { return exportAny(in: &traversal) }
        let code = FieldCode.of(Value.self)
        switch code._withUnsafeGuaranteedRef({ $0.export(self, traversal.registry) }) {
        case .other: return exportAny(in: &traversal)
        case .absent: return .none
        case .null: return .some(.null)
        case .value(let value): return value
        }
    }

    /// Takes a value from a dictionary.
    ///
    /// - Returns: The revision of the commit; nil when there was none.
    final func importValue(
        _ value: AttributeValue,
        at path: FieldPath,
        revision: UInt64?,
        in scope: inout ImportScope
    ) -> UInt64? {
        do throws(Issue) {
            let take =
                hasClassForm ? nil : FieldCode.of(Value.self)._withUnsafeGuaranteedRef { $0.take }
            if let taken = try take?(self, value, revision, scope.registry) { return taken }
        } catch let error where givenTransformer == nil && Value.self != [String].self {
            // Of an array there may be more to report.
            scope.issues.append(error.bounded.prefixed(by: path))
            return nil
        } catch {}
        return importAny(value, at: path, revision: revision, in: &scope)
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
