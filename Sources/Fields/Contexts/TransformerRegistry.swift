/// What a context is made of: immutable, so that models of many threads share it.
// Safe: all but the plans is immutable; those are guarded by the lock.
package final class TransformerRegistry: @unchecked Sendable {
    static let defaultName = "default"

    package let name: String
    package let parent: TransformerRegistry?
    package let keyCase: KeyCase?
    package let explicitNull: Bool
    /// Whether this context or one above it gives types a form.
    package let transformsTypes: Bool
    /// Of each type the `FieldTransformer` of it.
    private let types: [ObjectIdentifier: any Sendable]

    /// The same for arrays of those types, and arrays of such.
    private let arrays: [ObjectIdentifier: any Sendable]

    private let lock = Lock()
    /// What the layer above keeps for each model type.
    private var plans: [ObjectIdentifier: AnyObject] = [:]

    init(
        name: String,
        parent: TransformerRegistry?,
        keyCase: KeyCase?,
        explicitNull: Bool,
        types: [ObjectIdentifier: any Sendable] = [:],
        arrays: [ObjectIdentifier: any Sendable] = [:]
    ) {
        self.name = name
        self.parent = parent
        self.keyCase = keyCase
        self.explicitNull = explicitNull
        self.types = types
        self.arrays = arrays
        transformsTypes = !types.isEmpty || parent?.transformsTypes ?? false
    }

    /// One that differs from another.
    convenience init(
        _ other: TransformerRegistry?,
        keyCase: KeyCase?? = nil,
        explicitNull: Bool? = nil
    ) {
        self.init(
            name: other?.name ?? Self.defaultName,
            parent: other?.parent,
            keyCase: keyCase ?? other?.keyCase,
            explicitNull: explicitNull ?? other?.explicitNull ?? true,
            types: other?.types ?? [:],
            arrays: other?.arrays ?? [:]
        )
    }

    /// One that gives a type a form.
    convenience init<Value: Sendable>(
        _ other: TransformerRegistry?,
        _ transformer: FieldTransformer<Value>
    ) {
        var types = other?.types ?? [:]
        var arrays = other?.arrays ?? [:]
        types[ObjectIdentifier(Value.self)] = transformer
        let array = FieldTransformer<[Value]>.array(of: transformer)
        arrays[ObjectIdentifier([Value].self)] = array
        arrays[ObjectIdentifier([[Value]].self)] = FieldTransformer<[[Value]]>.array(of: array)
        self.init(
            name: other?.name ?? Self.defaultName,
            parent: other?.parent,
            keyCase: other?.keyCase,
            explicitNull: other?.explicitNull ?? true,
            types: types,
            arrays: arrays
        )
    }

    /// What this context alone gives a type, or the elements of an array type.
    func transformer<Value: Sendable>(of type: Value.Type) -> FieldTransformer<Value>? {
        if types.isEmpty { return nil }
        let key = ObjectIdentifier(type)
        return (types[key] ?? arrays[key]) as? FieldTransformer<Value>
    }

    /// What the layer above keeps for a key, made once.
    ///
    /// If two threads make it, the first one is kept.
    package func plan<Plan: AnyObject>(for key: ObjectIdentifier, make: () -> Plan) -> Plan {
        // Of one key there is one type of plan.
        if let plan = lock.withLock({ plans[key] }) { return unsafeDowncast(plan, to: Plan.self) }
        let made = make()
        let kept = lock.withLock {
            if let plan = plans[key] { return plan }
            plans[key] = made
            return made
        }
        return unsafeDowncast(kept, to: Plan.self)
    }
}
