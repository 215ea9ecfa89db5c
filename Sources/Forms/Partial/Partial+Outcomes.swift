extension Partial {
    /// Whether all required properties have a value.
    ///
    /// ```swift
    /// switch Partial<User>.Validation(requiredKeyPaths: \.firstName, \.lastName).validate(partial) {
    /// case .valid: save()
    /// case .incomplete(let missing): if missing.contains(\.firstName) { focus(firstNameField) }
    /// }
    /// ```
    public enum Completeness: Sendable {
        case valid

        /// The key paths without a value, in the order of declaration; at least one.
        case incomplete([any PartialKeyPath<Root> & Sendable])
    }

    /// What became of a form: the value that was made of it, or why there is none.
    ///
    /// ```swift
    /// switch validation.validate(partial) {
    /// case .valid(let user): save(user)
    /// case .invalid(let reasons): if reasons.contains(.missing(\.age)) { focus(ageField) }
    /// }
    /// ```
    public enum Verdict {
        case valid(Root)

        /// Why, in the order of declaration; at least one, and each once.
        case invalid([Reason])
    }

    /// Why nothing can be made of a form.
    ///
    /// ```swift
    /// switch reason {
    /// case .missing(let keyPath): highlight(keyPath)
    /// case .invalidValue(let keyPath): if keyPath == \User.self { showAlert() }
    /// }
    /// ```
    public enum Reason: Sendable {
        /// The property has no value, or nil.
        case missing(any PartialKeyPath<Root> & Sendable)

        /// The value of the property fails; the key path `\.self` stands for the form as a whole.
        case invalidValue(any PartialKeyPath<Root> & Sendable)
    }
}

extension Partial.Completeness: Equatable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.valid, .valid): true
        case (.incomplete(let lhs), .incomplete(let rhs)): lhs.elementsEqual(rhs, by: ==)
        default: false
        }
    }
}

extension Partial.Verdict: Sendable where Root: Sendable {}

extension Partial.Verdict: Equatable where Root: Equatable {}

extension Partial.Verdict: Hashable where Root: Hashable {}

extension Partial.Verdict {
    /// The value that was made; nil if the form is invalid.
    public var value: Root? {
        if case .valid(let value) = self { value } else { nil }
    }

    /// Why the form is invalid; none if it is valid.
    public var reasons: [Partial<Root>.Reason] {
        if case .invalid(let reasons) = self { reasons } else { [] }
    }
}

extension Partial.Reason {
    /// The property.
    public var keyPath: any PartialKeyPath<Root> & Sendable {
        switch self {
        case .missing(let keyPath), .invalidValue(let keyPath): keyPath
        }
    }
}

extension Partial.Reason: Hashable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.missing(let lhs), .missing(let rhs)): lhs == rhs
        case (.invalidValue(let lhs), .invalidValue(let rhs)): lhs == rhs
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }
}
