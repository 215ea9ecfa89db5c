public import ModelKitFields

/// A change of a field of a model, or of a model inside of it.
///
/// ```swift
/// company.observe("employees.*.name") { change in
///     switch change.kind {
///     case .value: print("\(change.path): \(change.old ?? "none") to \(change.new ?? "none")")
///     case .models(let entered, let left): print("\(entered.count) more, \(left.count) fewer")
///     }
/// }
/// ```
public struct ModelChange: Sendable {
    /// What a field's value is made of.
    ///
    /// ```swift
    /// if case .models(let entered, _) = change.kind { print(entered) }
    /// ```
    public enum Kind: Sendable {
        /// The value of a field without models.
        case value
        /// The models in a field: those that are in it now and were not before, and those that are in
        /// it no more.
        ///
        /// Both are empty where the models of an array have only moved.
        case models(entered: [any Model], left: [any Model])
    }

    /// Where the field is now, from the observed model on: the shortest way that the pattern allows.
    public let path: FieldPath
    /// The field, which has the new value, or one that is newer still.
    public let field: AnyField
    /// The model that the field belongs to.
    public let model: any Model
    /// What has changed.
    public let kind: Kind
    /// The field's value before, of its own type; nil if there was none.
    ///
    /// It is the new one of the change of the field before, which was delivered, too, unless
    /// ``ModelChanges`` with `buffering: .newest` have left it out: then the values between the last
    /// change that was delivered and this one are in none. Of an array of models, nil is an empty array.
    public let old: (any Sendable)?
    /// The field's value after this change; the field itself may have a newer one.
    public let new: (any Sendable)?
}

extension ModelChange: CustomStringConvertible {
    /// The path, and how many models entered and left.
    public var description: String {
        switch kind {
        case .value: path.description
        case .models(let entered, let left): "\(path) (+\(entered.count) -\(left.count))"
        }
    }
}
