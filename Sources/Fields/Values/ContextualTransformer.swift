/// What a field was given for the contexts of a name.
@usableFromInline
struct ContextualTransformer<Value: Sendable>: Sendable {
    let name: String
    let transformer: FieldTransformer<Value>
}
