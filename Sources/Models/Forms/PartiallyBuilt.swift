/// A property that is there once the values that it is made of are.
///
/// ```swift
/// struct Registration {
///     @PartiallyBuilt<User>() var user: User?
/// }
/// let registration = Registration()
/// registration.$user.update(\.firstName, to: "Ian")
/// registration.user   // nil
/// registration.$user.update(\.lastName, to: "Keen")
/// registration.user   // User(firstName: "Ian", lastName: "Keen")
/// ```
///
/// It is made anew whenever it is read. The builder is an object: copies of a struct share it.
@propertyWrapper
public struct PartiallyBuilt<Value: PartialInitializable & Sendable>: Sendable {
    /// What collects the values.
    public let projectedValue: PartialBuilder<Value>

    /// A property that starts with the values of a partial.
    public init(partial: Partial<Value>) {
        self.init(builder: PartialBuilder(partial))
    }

    /// A property that is made of what a builder collects, which others may share.
    public init(builder: PartialBuilder<Value> = PartialBuilder()) {
        projectedValue = builder
    }

    /// What can be made of the values; nil if that is nothing.
    public var wrappedValue: Value? { try? projectedValue.unwrapped() }
}
