package import ModelKitFields

/// What a field of models says of its relation.
struct RelationDeclaration: Sendable {
    var isForeignKey = false
    var cascades = false
    private(set) var inverse: Inverse?

    /// The field of the other models that has the field's own model.
    struct Inverse: Sendable {
        /// Finds it in one of them.
        let field: @Sendable (any Model) -> AnyField?
        /// Whether it can have a model.
        let takes: @Sendable (any Model) -> Bool
    }

    mutating func setInverse<M: Model, Owner: Model, F: AnyField>(
        _ keyPath: any KeyPath<M, F> & Sendable,
        of type: Owner.Type
    ) {
        inverse = Inverse(
            field: { ($0 as? M)?[keyPath: keyPath] },
            takes: { $0 is Owner }
        )
    }
}

/// A field of models, whatever their type.
protocol RelationField: AnyField {
    var declaration: RelationDeclaration { get }
    /// The type of the models.
    var partner: any Model.Type { get }
    /// The models, in order.
    var models: [any Model] { get }
    /// The same; of an unloaded field those that still have its owner.
    var relatedModels: [any Model] { get }
    /// Takes models out, wherever they are.
    func remove(_ models: Set<ObjectIdentifier>)
    /// Puts in those of some models that it has not, which have its owner already.
    ///
    /// - Returns: Whether that was done; it is not with one model, or none that is known.
    func add(_ models: [any Model]) -> Bool
    /// Takes all models out.
    func removeAllModels()
    /// Keeps the field of the other side in step.
    func link(
        to owner: any Model,
        isDerived: Bool,
        by inverse: @escaping @Sendable (any Model) -> AnyField?
    )
    /// The model that the field belongs to, if it is one side of a relation.
    var relationOwner: RelatedObject? { get }
    /// What was taken out of the other side of a key since it was loaded.
    var takenObjects: [RelatedObject] { get }
    /// Keeps what is taken out from now on.
    func keepTaken()
    /// Lets go of all objects that were taken out, and keeps none from now on.
    func dropTaken()
    /// Lets go of a model that was taken out.
    func forgetTaken(_ object: RelatedObject)
    /// Whether it is the other side of a key and not loaded.
    var isUnloadedRelation: Bool { get }
    /// Sets the models of the other side of a key, whose keys are set then: dictionaries of models, or their
    /// identifiers.
    ///
    /// - Returns: Whether all of it could be read.
    func readMembers(
        _ value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Bool
    /// Counts it as loaded, without a set.
    func becomeLoaded()
    /// Sets the models that have the field's owner, as a store has found them.
    func setMembers(_ stored: [any Model], unless isGone: (any Model) -> Bool)
    /// Keeps the field out of the relations of other models, for good. The other side of a key may be not
    /// loaded nevertheless.
    func standApart(isDerived: Bool)
    var isApart: Bool { get }
    /// Gives the models that the field has already its owner.
    func relate()
    /// Lets the field stand alone.
    func expectNoInverse()
    /// Takes the value, times and load state of a field of the same type, with other models in place of
    /// its own.
    func take(_ other: AnyField, _ replace: (any Model) -> (any Model)?)
    /// Takes the same of a copy's original, whose models do not know of it until it is set or `join()` is
    /// called.
    func takeCopied(_ other: AnyField)
    /// Keeps a default value, whose models do not know of it until the field is set or `join()` is called.
    func stayApart()
    /// Lets the models in a copy's field know of it.
    func join()
    /// Takes the field's owner out of the models that a closure says, and leaves the value as it is.
    func leave(where isLeft: (RelatedObject) -> Bool)
    /// Adds a hook that learns which models there are, and then at every set how that differs.
    ///
    /// - Parameters:
    ///   - index: The only element that counts, if it is one.
    ///   - owner: With its life the hook ends, too.
    ///   - body: Is given the models that there are more or less often than before.
    /// - Returns: What ends it.
    func hookModels(
        at index: Int?,
        by owner: AnyObject?,
        _ body: @escaping @Sendable (_ change: ModelsChange, HookCall) -> Void
    ) -> Observation
    /// What leads from the field to a model in it; nil if it is not there, or not at the only index
    /// that counts.
    func place(of model: ObjectIdentifier, at index: Int?) -> FieldPath?
}

/// How much more often a model is in a field than before, which may be less than 0.
struct ModelCount {
    let model: any Model
    var count: Int
}

/// How a field of models has changed.
struct ModelsChange {
    let counts: [ModelCount]
    let old: (any Sendable)?
    let new: (any Sendable)?
}

extension AnyField {
    /// Whether it is one side of a relation.
    package var isRelation: Bool { self is any RelationField }

    /// The schema of the models on its other side.
    package var partnerSchema: ModelSchema? { (self as? any RelationField)?.partner.schema }
}

extension ModelSchema.Entry {
    /// What the models in the field are; nil of a field whose values are no models.
    package var partnerSchema: ModelSchema? { sample.partnerSchema }

    /// What the models in a field for several are; nil for every other field.
    package var elementSchema: ModelSchema? {
        sample.elementField == nil ? nil : sample.partnerSchema
    }

    /// The field of a model, if it is one side of a relation.
    func relation(in model: AnyObject) -> (any RelationField)? {
        field(in: model) as? any RelationField
    }
}
