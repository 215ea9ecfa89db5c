public import ModelKitModels

/// One write of a model, to be made together with others.
///
/// ```swift
/// try await store.perform([.create(order), .update(customer), .delete(draft)]).value
/// ```
public struct ModelWrite: Sendable {
    /// What is to be written.
    enum Action: Sendable {
        case create, update, delete
        case save(OnConflict)
    }

    /// The model, whose values are taken when the write is asked for.
    public let model: any Model
    let action: Action
    /// Where issues say that the model is; nil for its place among the writes.
    var place: FieldPath?
    /// The model that it is written as a member of, whose record has to be there.
    var owner: (any Model)?

    /// Adds a model.
    public static func create(_ model: any Model) -> ModelWrite {
        ModelWrite(model: model, action: .create)
    }

    /// Writes what was edited.
    public static func update(_ model: any Model) -> ModelWrite {
        ModelWrite(model: model, action: .update)
    }

    /// Creates a model, or updates it if it agreed with the store before.
    public static func save(_ model: any Model, onConflict: OnConflict = .fail) -> ModelWrite {
        ModelWrite(model: model, action: .save(onConflict))
    }

    /// Removes a model, and those that go with it.
    public static func delete(_ model: any Model) -> ModelWrite {
        ModelWrite(model: model, action: .delete)
    }
}
