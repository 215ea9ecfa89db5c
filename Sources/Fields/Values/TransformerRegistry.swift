package import ModelKitValues

/// What a context is made of: immutable, so that models of many threads share it.
package final class TransformerRegistry: Sendable {
    static let defaultName = "default"

    package let name: String
    package let parent: TransformerRegistry?
    package let keyCase: KeyCase?
    package let explicitNull: Bool
    /// Whether this context or one above it gives types a form.
    package let transformsTypes: Bool
    /// Of each type the `FieldTransformer` of it.
    private let types: [ObjectIdentifier: any Sendable]

    /// The same for arrays and dictionaries of those types, and for those of such.
    private let containers: [ObjectIdentifier: any Sendable]

    /// What the layer above keeps for each model type.
    private let plans = Guarded<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    init(
        name: String,
        parent: TransformerRegistry?,
        keyCase: KeyCase?,
        explicitNull: Bool,
        types: [ObjectIdentifier: any Sendable] = [:],
        containers: [ObjectIdentifier: any Sendable] = [:]
    ) {
        self.name = name
        self.parent = parent
        self.keyCase = keyCase
        self.explicitNull = explicitNull
        self.types = types
        self.containers = containers
        transformsTypes = !types.isEmpty || parent?.transformsTypes ?? false
    }

    /// One that differs from another.
    convenience init(
        _ other: TransformerRegistry?,
        keyCase: KeyCase?? = nil,
        explicitNull: Bool? = nil,
        types: [ObjectIdentifier: any Sendable]? = nil,
        containers: [ObjectIdentifier: any Sendable]? = nil
    ) {
        self.init(
            name: other?.name ?? Self.defaultName,
            parent: other?.parent,
            keyCase: keyCase ?? other?.keyCase,
            explicitNull: explicitNull ?? other?.explicitNull ?? true,
            types: types ?? other?.types ?? [:],
            containers: containers ?? other?.containers ?? [:]
        )
    }

    /// One that gives a type a form.
    convenience init<Value: Sendable>(
        _ other: TransformerRegistry?,
        _ transformer: FieldTransformer<Value>
    ) {
        var types = other?.types ?? [:]
        var containers = other?.containers ?? [:]
        types[ObjectIdentifier(Value.self)] = transformer
        func add<Container: Sendable>(_ transformer: FieldTransformer<Container>) {
            containers[ObjectIdentifier(Container.self)] = transformer
        }
        let array = FieldTransformer<[Value]>.array(of: transformer)
        let dictionary = FieldTransformer<[String: Value]>.dictionary(of: transformer)
        add(array)
        add(dictionary)
        add(FieldTransformer<[[Value]]>.array(of: array))
        add(FieldTransformer<[[String: Value]]>.array(of: dictionary))
        add(FieldTransformer<[String: [Value]]>.dictionary(of: array))
        add(FieldTransformer<[String: [String: Value]]>.dictionary(of: dictionary))
        self.init(other, types: types, containers: containers)
    }

    /// What this context alone gives a type, or the elements of an array or dictionary type.
    func transformer<Value: Sendable>(of type: Value.Type) -> FieldTransformer<Value>? {
        if types.isEmpty { return nil }
        let key = ObjectIdentifier(type)
        return (types[key] ?? containers[key]) as? FieldTransformer<Value>
    }

    /// Whether this context or one above it gives a type a form.
    package func transforms(_ type: Any.Type) -> Bool {
        types[ObjectIdentifier(type)] != nil || parent?.transforms(type) ?? false
    }

    /// What the layer above keeps for a key, made once.
    ///
    /// If two threads make it, the first one is kept.
    package func plan<Plan: AnyObject & Sendable>(
        for key: ObjectIdentifier,
        make: () -> Plan
    ) -> Plan {
        // Of one key there is one type of plan.
        if let plan = plans.withLock({ $0[key] }) { return unsafeDowncast(plan, to: Plan.self) }
        let made = make()
        let kept = plans.withLock { plans in
            if let plan = plans[key] { return plan }
            plans[key] = made
            return made
        }
        return unsafeDowncast(kept, to: Plan.self)
    }
}
