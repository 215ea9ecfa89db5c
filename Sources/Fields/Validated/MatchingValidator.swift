import Synchronization

/// A validator of values that have to be the same as those of all properties of a group.
///
/// ```swift
/// struct Registration {
///     @Validated var password: String?
///     @Validated var confirmation: String?
///
///     init() {
///         let passwords = ValidationGroup<String>()
///         let same = MatchingValidator(passwords, errorMessage: "doesn't match")
///         _password = Validated(.minLength(8))
///         _confirmation = Validated(same.validator)
///         passwords.add($password)
///         passwords.add($confirmation)
///     }
/// }
/// ```
///
/// Values are the same by `==`; nothing is the same as nothing. The property that is validated is one
/// of the group, so a value is to be set before it is validated.
public struct MatchingValidator<Value: Equatable & Sendable>: Validator {
    public let errorMessage: String
    private let group: ValidationGroup<Value>

    public init(_ group: ValidationGroup<Value>, errorMessage: String) {
        self.group = group
        self.errorMessage = errorMessage
    }

    public func isValid(value: Value?) -> Bool { group.values.allSatisfy { $0 == value } }
}

/// Properties and fields whose values are to be compared, which a ``MatchingValidator`` does.
///
/// ```swift
/// let passwords = ValidationGroup<String>()
/// passwords.add($password)
/// ```
///
/// It holds none of them, and can be used from any thread.
public final class ValidationGroup<Value: Equatable & Sendable>: Sendable {
    /// A member, by what gives its value; nothing, once that is gone.
    private final class Member: Sendable {
        let value: @Sendable () -> Value??

        init(_ value: @escaping @Sendable () -> Value??) { self.value = value }
    }

    private let members = Mutex<[Member]>([])

    public init() {}

    /// Adds a property.
    ///
    /// Observers of its errors are notified when it is set itself, not when another is.
    public func add(_ property: Validated<Value>) {
        add { [weak field = property.field] in field.map { $0.value?.value } }
    }

    /// Adds a field.
    public func add(_ field: Field<Value>) {
        add { [weak field] in field.map { $0.value } }
    }

    /// The values of those that are still there.
    var values: [Value?] { members.withLock { $0 }.compactMap { $0.value() } }

    private func add(_ value: @escaping @Sendable () -> Value??) {
        // Asked without the lock, as a value may run code when it dies.
        let gone = members.withLock { $0 }.filter { $0.value() == nil }
        members.withLock { members in
            members.removeAll { member in gone.contains { $0 === member } }
            members.append(Member(value))
        }
    }
}
