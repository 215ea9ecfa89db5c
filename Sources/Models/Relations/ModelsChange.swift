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
