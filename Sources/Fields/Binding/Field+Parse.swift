public import ModelKitValues

extension Field {
    /// Binds a field to what a parser makes of this one's value, and if the parser prints, this one
    /// to what that makes of the other's: a text field and the value that it stands for.
    ///
    /// ```swift
    /// let text = Field<String>()
    /// text.bind(to: person.age, by: .trimmed.orNil.then(.integer))
    /// text.value = "42"            // person.age.value is 42
    /// text.value = "4 2"           // still 42, and text is invalid: "must be a whole number"
    /// person.age.value = 43        // text.value is "43", and text no longer invalid
    /// ```
    ///
    /// It begins with this field's value, but if that is nil, and the parser prints, with the other's.
    ///
    /// A value that cannot be parsed leaves the other field as it is, and makes this one invalid
    /// until it is set again; `issues` and `validate()` have everything that is wrong, so a form with
    /// this field has, too. What was typed stays while it means the same: "007" when the number is
    /// set to 7. A value that cannot be printed leaves this field as it is and makes the other one
    /// invalid, with the code "print"; one that is written as what the parser refuses, as its rules do, with
    /// these issues.
    ///
    /// Warnings of the parser's rules are not reported: such rules belong to the other field,
    /// and so does whether a value is required.
    ///
    /// Neither field is kept alive. Fields are bound once in each direction: a later binding takes
    /// the place of this one. `removeObserver` ends one direction.
    ///
    /// - Parameters:
    ///   - target: The field of the values.
    ///   - parser: Makes the values. Asked on the thread that sets, with no lock held.
    /// - Returns: The target.
    @discardableResult
    public final func bind<Target>(
        to target: Field<Target>,
        by parser: Parser<Value, Target>
    ) -> Field<Target> {
        let read: @Sendable (Value?) throws -> Target? = { try parser.parse($0) }
        guard let write = parser.write else { return bind(to: target, forward: read) }
        let print: @Sendable (Target?) throws -> Value? = { [weak self] value in
            let typed = self?.stored
            var issues: [Issue] = []
            let meant = parser.read(typed, &issues)
            if !issues.isBlocking, !differs(meant, value) { return typed }
            guard let value else { return nil }
            guard let printed = write(value) else {
                throw Issue(standard: "print", message: "cannot be written")
            }
            // What the parser would not read must not stand there as if it were typed.
            var refusals: [Issue] = []
            _ = parser.read(printed, &refusals)
            if refusals.isBlocking { throw ParserError(issues: refusals) }
            return printed
        }
        if stored == nil, target.stored != nil {
            target.bind(to: self, forward: print, backward: read)
        } else {
            bind(to: target, forward: read, backward: print)
        }
        return target
    }

    /// The value, of whose reading nobody is notified.
    private var stored: Value? { lock.withLock { storage } }
}
