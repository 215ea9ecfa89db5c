/// What a field was given for the contexts of a name.
struct ContextualTransformer<Value: Sendable>: Sendable {
    let name: String
    let transformer: FieldTransformer<Value>
}

/// What a field was given for contexts: an object, so that a field without any pays nothing.
final class ContextualTransformers<Value: Sendable>: Sendable {
    let all: [ContextualTransformer<Value>]

    init(_ all: [ContextualTransformer<Value>]) { self.all = all }
}
