// What the JSON reader and writer take and give without an attribute value between: values of the
// types that most fields have, where neither the field nor a context has another form for them.
//
// All of it is inlined in the module that knows the type: in code of any type each step fetches metadata.

/// What a field has for a writer that asks for one type.
@usableFromInline
package enum StandardValue<Value> {
    /// It has another type or form, which only its attribute value shows.
    case other
    /// It was never set and is nil.
    case absent
    case null
    case value(Value)
}

extension AnyField {
    /// Sets a value that was read, unless the field has another type or form or a domain.
    @inlinable
    package final func take<Value>(_ value: Value, in registry: TransformerRegistry?) -> Bool
    where Value: Equatable & Sendable {
        // Only a `Field<Value>` says so.
        guard valueType == Value.self else { return false }
        return unsafeDowncast(self, to: FieldCore<Value>.self).takeStandard(value, in: registry)
    }

    @inlinable
    package final func standardValue<Value>(
        in registry: TransformerRegistry?
    ) -> StandardValue<Value> where Value: Equatable & Sendable {
        guard valueType == Value.self else { return .other }
        return unsafeDowncast(self, to: FieldCore<Value>.self).standard(in: registry)
    }
}

extension FieldCore {
    /// Whether values have the form of their type, to which neither the field nor a context has
    /// anything to say.
    @inlinable @inline(__always)
    package final func hasStandardForm(
        in registry: TransformerRegistry?,
        withoutDomain: Bool = false
    ) -> Bool {
        if let registry, registry.transformsTypes { return false }
        lock.lock()
        defer { lock.unlock() }
        return isStandard(in: registry) && !(withoutDomain && traits.contains(.domain))
    }

    /// Sets a value that was read, unless the field has another form or a domain.
    @inlinable @inline(__always)
    package final func takeStandard(_ value: Value, in registry: TransformerRegistry?) -> Bool {
        if registry == nil || registry?.transformsTypes == false {
            let custom = FieldClock.overriddenStamp()
            lock.lock()
            // As it is in a model that is being read: nothing is compared, and nobody is notified.
            if details == nil, traits.isEmpty, storage == nil {
                commitLocked(value, isChange: true, custom)
                return true
            }
            lock.unlock()
        }
        guard hasStandardForm(in: registry, withoutDomain: true) else { return false }
        commit(value, at: nil)
        return true
    }

    @inlinable @inline(__always)
    package final func standard(in registry: TransformerRegistry?) -> StandardValue<Value> {
        if let registry, registry.transformsTypes { return .other }
        let (value, isSet, isOther) = readTracked { () -> (Value?, Bool, Bool) in
            isStandard(in: registry) ? (storage, isKnown, false) : (nil, false, true)
        }
        if isOther { return .other }
        if let value { return .value(value) }
        return isSet ? .null : .absent
    }

    /// The lock must be held.
    @inlinable @inline(__always)
    final func isStandard(in registry: TransformerRegistry?) -> Bool {
        // First, as in code of any type it takes a look at the metadata to know the state.
        if details == nil { return true }
        guard let state else { return true }
        return state.transformer?.isStandardModel ?? true
            && (registry == nil || state.contextual.isEmpty)
    }
}
