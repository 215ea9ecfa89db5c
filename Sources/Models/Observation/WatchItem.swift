import ModelKitFields

/// The places in a pattern at which a model is, in order: of several only after `**`.
typealias PatternState = [Int]

/// A model, or a type of models, at places of a pattern.
struct WatchPlace: Hashable {
    let object: ObjectIdentifier
    let state: PatternState
}

/// A field of a model that a pattern leads to or through.
struct WatchItem: Sendable {
    /// How the pattern goes on from the models in it.
    struct Step: Sendable {
        /// The only element that counts.
        var index: Int?
        /// Where in the pattern the models are; nowhere where it ends with them.
        var state: PatternState
        /// Their type.
        let partner: any Model.Type
    }

    let path: FieldPath
    /// nil of a field without models.
    let step: Step?
    /// Whether the pattern ends with the field or its elements.
    let isEnd: Bool
    /// Whether another item reports the field.
    var isSilent = false
    private let entry: ModelSchema.Entry?
    /// A field that the model alone has, which must not keep itself alive by its hook.
    private weak let own: AnyField?
    /// Which field that is.
    let ownIdentity: ObjectIdentifier?

    init(_ entry: ModelSchema.Entry, _ step: Step? = nil, isEnd: Bool) {
        path = entry.path
        self.step = step
        self.isEnd = isEnd
        let field = entry.ownField
        own = field
        ownIdentity = field.map { ObjectIdentifier($0) }
        self.entry = field == nil ? entry : nil
    }

    /// The field of a model; nil if it is gone.
    func field(in model: AnyObject) -> AnyField? { entry?.field(in: model) ?? own }
}
