public import ModelKitValues

#if canImport(Combine)
public import Combine
#endif

extension Validated {
    /// Calls a closure with the errors: once now, then at every set, also if they are the same.
    ///
    /// It is called as an observer of a field is, on the thread that sets the property. It lives
    /// until it is cancelled, or as long as the property.
    @discardableResult
    public final func observe(
        _ body: @escaping @Sendable (_ errors: [ValidationError]) -> Void
    ) -> Observation {
        field.observe { [rule] (value: ValidatedValue<Value>?) in
            body(rule.issues(for: value?.value))
        }
    }

    /// The property as the main thread sees it.
    public final var onMain: OnMainErrors<Value> { OnMainErrors(field: field, rule: rule) }

    /// The errors as a sequence: the present ones, then those of every set.
    ///
    /// A slow consumer gets the newest next. It ends when the property is gone.
    public final var updates: some AsyncSequence<[ValidationError], Never> & Sendable {
        field.values.map { [rule] value in rule.issues(for: value?.value) }
    }

    #if canImport(Combine)
    /// The errors as a publisher: the present ones for each new subscriber, then those of every set.
    public final var publisher: AnyPublisher<[ValidationError], Never> {
        field.publisher.map { [rule] value in rule.issues(for: value?.value) }.eraseToAnyPublisher()
    }
    #endif
}

/// The errors of a property as the main thread sees them.
///
/// ```swift
/// $email.onMain.observe { errors in label.text = errors.first?.message }
/// ```
public struct OnMainErrors<Value: Sendable>: Sendable {
    let field: Field<ValidatedValue<Value>>
    let rule: Rule<Value>

    /// Calls a closure on the main thread with the errors: once now, then when the property was set.
    ///
    /// Of pending sets only the newest is delivered.
    @discardableResult
    public func observe(
        _ body: @escaping @MainActor @Sendable (_ errors: [ValidationError]) -> Void
    ) -> Observation {
        field.onMain.observe { [rule] (value: ValidatedValue<Value>?) in
            body(rule.issues(for: value?.value))
        }
    }
}
