package import ModelKitValues

/// What a context is made of: immutable, so that models of many threads share it.
@usableFromInline
package final class TransformerRegistry: Sendable {
    static let defaultName = "default"

    /// What is said of a context.
    struct Content: Sendable {
        var name = defaultName
        var parent: TransformerRegistry?
        var keyCase: KeyCase?
        var explicitNull = true
        /// Of each type the `FieldTransformer` of it.
        var types: [ObjectIdentifier: any Sendable] = [:]
        /// The same for arrays and dictionaries of those types, and for those of such.
        var containers: [ObjectIdentifier: any Sendable] = [:]

        /// Gives a type a form.
        mutating func transform<Value: Sendable>(with transformer: FieldTransformer<Value>) {
            types[ObjectIdentifier(Value.self)] = transformer
            let array = FieldTransformer<[Value]>.array(of: transformer)
            let dictionary = FieldTransformer<[String: Value]>.dictionary(of: transformer)
            add(array)
            add(dictionary)
            add(FieldTransformer<[[Value]]>.array(of: array))
            add(FieldTransformer<[[String: Value]]>.array(of: dictionary))
            add(FieldTransformer<[String: [Value]]>.dictionary(of: array))
            add(FieldTransformer<[String: [String: Value]]>.dictionary(of: dictionary))
        }

        private mutating func add<Container: Sendable>(_ transformer: FieldTransformer<Container>) {
            containers[ObjectIdentifier(Container.self)] = transformer
        }
    }

    private let content: Content
    package var name: String { content.name }
    package var parent: TransformerRegistry? { content.parent }
    package var keyCase: KeyCase? { content.keyCase }
    package var explicitNull: Bool { content.explicitNull }
    /// Whether this context or one above it gives types a form.
    @usableFromInline package let transformsTypes: Bool

    /// What the layer above keeps for each model type.
    private let plans = Guarded<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    init(_ content: Content) {
        self.content = content
        transformsTypes = !content.types.isEmpty || content.parent?.transformsTypes ?? false
    }

    /// One that differs from another, or from the default one.
    convenience init(
        changing other: TransformerRegistry?,
        _ change: (inout Content) -> Void
    ) {
        var content = other?.content ?? Content()
        change(&content)
        self.init(content)
    }

    /// What this context alone gives a type, or the elements of an array or dictionary type.
    func transformer<Value: Sendable>(of type: Value.Type) -> FieldTransformer<Value>? {
        if content.types.isEmpty { return nil }
        let key = ObjectIdentifier(type)
        return (content.types[key] ?? content.containers[key]) as? FieldTransformer<Value>
    }

    /// Whether this context or one above it gives a type a form.
    package func transforms(_ type: Any.Type) -> Bool {
        content.types[ObjectIdentifier(type)] != nil || parent?.transforms(type) ?? false
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
