// What the JSON reader and writer take and give without an attribute value between: values of the
// types that most fields have, where neither the field nor a context has another form for them.

/// What a field has for a writer that asks for one type.
package enum StandardValue<Value> {
    /// It has another type or form, which only its attribute value shows.
    case other
    /// It was never set and is nil.
    case absent
    case null
    case value(Value)
}

extension AnyField {
    package final func take(_ value: String, in registry: TransformerRegistry?) -> Bool {
        takeStandard(value, registry)
    }

    package final func take(_ value: Int, in registry: TransformerRegistry?) -> Bool {
        takeStandard(value, registry)
    }

    package final func take(_ value: Double, in registry: TransformerRegistry?) -> Bool {
        takeStandard(value, registry)
    }

    package final func take(_ value: Bool, in registry: TransformerRegistry?) -> Bool {
        takeStandard(value, registry)
    }

    package final func take(_ value: [String], in registry: TransformerRegistry?) -> Bool {
        takeStandard(value, registry)
    }

    package final func text(in registry: TransformerRegistry?) -> StandardValue<String> {
        standardValue(registry)
    }

    package final func integer(in registry: TransformerRegistry?) -> StandardValue<Int> {
        standardValue(registry)
    }

    package final func number(in registry: TransformerRegistry?) -> StandardValue<Double> {
        standardValue(registry)
    }

    package final func boolean(in registry: TransformerRegistry?) -> StandardValue<Bool> {
        standardValue(registry)
    }

    package final func texts(in registry: TransformerRegistry?) -> StandardValue<[String]> {
        standardValue(registry)
    }

    /// Sets a value that was read, unless the field has another type or form or a domain.
    @inline(__always)
    private func takeStandard<Value>(_ value: Value, _ registry: TransformerRegistry?) -> Bool
    where Value: Equatable & Sendable {
        // Only a `Field<Value>` says so.
        guard valueType == Value.self else { return false }
        return unsafeDowncast(self, to: FieldCore<Value>.self).takeStandard(value, in: registry)
    }

    @inline(__always)
    private func standardValue<Value>(_ registry: TransformerRegistry?) -> StandardValue<Value>
    where Value: Equatable & Sendable {
        guard valueType == Value.self else { return .other }
        let field = unsafeDowncast(self, to: FieldCore<Value>.self)
        return field.standardValue(in: registry)
    }
}

extension FieldCore {
    /// Whether values have the form of their type, to which neither the field nor a context has
    /// anything to say.
    @inline(__always)
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
    @inline(__always)
    final func takeStandard(_ value: Value, in registry: TransformerRegistry?) -> Bool {
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

    @inline(__always)
    final func standardValue(in registry: TransformerRegistry?) -> StandardValue<Value> {
        if let registry, registry.transformsTypes { return .other }
        let (value, isSet, isOther) = readTracked { () -> (Value?, Bool, Bool) in
            isStandard(in: registry) ? (storage, isKnown, false) : (nil, false, true)
        }
        if isOther { return .other }
        if let value { return .value(value) }
        return isSet ? .null : .absent
    }

    /// The lock must be held.
    @inline(__always)
    private func isStandard(in registry: TransformerRegistry?) -> Bool {
        // First, as in code of any type it takes a look at the metadata to know the state.
        if details == nil { return true }
        guard let state else { return true }
        return state.transformer?.isStandardModel ?? true
            && (registry == nil || state.contextual.isEmpty)
    }
}

// The same for types of which it is known how they are held, so that no metadata has to be asked.

extension FieldCore where Value: AnyObject {
    package final func takeObject(_ value: Value, in registry: TransformerRegistry?) -> Bool {
        takeStandard(value, in: registry)
    }

    package final func object(in registry: TransformerRegistry?) -> StandardValue<Value> {
        standardValue(in: registry)
    }
}

extension FieldCore {
    package final func takeElements<Element>(
        _ value: [Element],
        in registry: TransformerRegistry?
    ) -> Bool where Value == [Element] {
        takeStandard(value, in: registry)
    }

    package final func elements<Element>(
        in registry: TransformerRegistry?
    ) -> StandardValue<[Element]> where Value == [Element] {
        standardValue(in: registry)
    }
}
