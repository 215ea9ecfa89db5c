import ModelKitEssentials

// The types that most fields have. Methods that the layers above call on a field of whatever type
// run code made for every type at once, which fetches metadata at each step; for these types the
// compiler makes code of their own, several times quicker.

extension FieldCore where Value: AttributeConvertible {
    /// The value for a dictionary; nil when it was never set and is nil.
    fileprivate func exportKnown() -> AttributeValue? {
        let (value, isSet) = readTracked { (storage, isKnown) }
        if let value { return value.attributeValue }
        return isSet ? .some(.null) : .none
    }

    /// Takes a value from a dictionary.
    fileprivate func importKnown(
        _ value: AttributeValue,
        at path: FieldPath,
        revision: UInt64?,
        in scope: inout ImportScope
    ) -> UInt64? {
        if value.isNull { return commit(nil, at: revision) }
        do throws(Issue) {
            return commit(try Value(attributeValue: value), at: revision)
        } catch {
            // Says all that is wrong with an array.
            return importAny(value, at: path, revision: revision, in: &scope)
        }
    }
}

extension FieldCore {
    /// Whether `exportValue` gives values the form of their type, without a context.
    package final var hasKnownForm: Bool {
        guard hasStandardForm(in: nil) else { return false }
        return Value.self == String.self || Value.self == Int.self || Value.self == Double.self
            || Value.self == Bool.self
    }

    /// The value for a dictionary.
    final func exportValue(in traversal: inout Traversal) -> AttributeValue? {
        if hasStandardForm(in: traversal.registry) {
            // Each comparison proves that the cast is one to the same type.
            if Value.self == String.self { return cast(to: String.self).exportKnown() }
            if Value.self == Int.self { return cast(to: Int.self).exportKnown() }
            if Value.self == Double.self { return cast(to: Double.self).exportKnown() }
            if Value.self == Bool.self { return cast(to: Bool.self).exportKnown() }
            if Value.self == Date.self { return cast(to: Date.self).exportKnown() }
            if Value.self == [String].self { return cast(to: [String].self).exportKnown() }
        }
        if !hasClassForm {
            switch FieldCode.of(Value.self).export(self, traversal.registry) {
            case .other: break
            case .absent: return .none
            case .null: return .some(.null)
            case .value(let value): return value
            }
        }
        return exportAny(in: &traversal)
    }

    @inline(__always)
    private func known<Known: AttributeConvertible & Equatable & Sendable>(
        _ type: Known.Type,
        _ value: AttributeValue,
        _ path: FieldPath,
        _ revision: UInt64?,
        _ scope: inout ImportScope
    ) -> UInt64? { cast(to: type).importKnown(value, at: path, revision: revision, in: &scope) }

    /// Takes a value from a dictionary.
    ///
    /// - Returns: The revision of the commit; nil when there was none.
    final func importValue(
        _ value: AttributeValue,
        at path: FieldPath,
        revision: UInt64?,
        in scope: inout ImportScope
    ) -> UInt64? {
        if hasStandardForm(in: scope.registry, withoutDomain: true) {
            if Value.self == String.self {
                return known(String.self, value, path, revision, &scope)
            }
            if Value.self == Int.self { return known(Int.self, value, path, revision, &scope) }
            if Value.self == Double.self {
                return known(Double.self, value, path, revision, &scope)
            }
            if Value.self == Bool.self { return known(Bool.self, value, path, revision, &scope) }
            if Value.self == Date.self { return known(Date.self, value, path, revision, &scope) }
            if Value.self == [String].self {
                return known([String].self, value, path, revision, &scope)
            }
        }
        if !hasClassForm, !value.isNull,
            let taken = FieldCode.of(Value.self).take(self, value, revision, scope.registry)
        {
            return taken
        }
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

    @inlinable @inline(__always)
    final func cast<Known>(to type: Known.Type) -> FieldCore<Known> {
        unsafeDowncast(self as AnyField, to: FieldCore<Known>.self)
    }
}
