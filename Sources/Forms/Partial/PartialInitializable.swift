/// What can be made of a form.
///
/// ```swift
/// extension User: PartialInitializable {
///     init(from partial: Partial<User>) throws {
///         firstName = try partial.value(for: \.firstName)
///         age = partial.age
///     }
/// }
/// ```
///
/// An error that the initialiser throws makes the form invalid: `keyPathNotSet` is a missing value,
/// an `Issue` is reported at its path, and any other for the whole.
public protocol PartialInitializable: SendableMetatype {
    init(from partial: Partial<Self>) throws
}
