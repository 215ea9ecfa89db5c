public import ModelKitFields
public import ModelKitModels

/// Fields, models and drafts as one: what is wrong, where first, what is changed, and a submit that
/// runs once.
///
/// ```swift
/// let draft = person.draft()
/// let form = Form()
///     .add(draft)                              // name, age, … at their own paths
///     .add(address, named: "address")          // address.street, …
///     .add(acceptsTerms, named: "terms")
///
/// if form.validate().isInvalid {
///     announce(form.summary)                   // "Name is required"
///     focus(form.firstInvalid?.field)
/// }
/// try await form.submit {
///     try await api.save(draft.scratch)
///     try form.commit()                        // now person has it, too
/// }
/// ```
///
/// Everything is in the order in which it was added, the fields of a model in that of its schema. What
/// the form says is up to date whenever it is asked: a field that is set is unknown until it is
/// validated again. Of two fields at one path the first gets the issues that are addressed to it.
///
/// A ``Draft`` of a value is added in a field, with the checks of the value:
///
/// ```swift
/// let user = Field(value: Draft(user))
/// form.add(user, named: "user", checks: User.checks)   // user.name, user.age, …
/// user.value?.name = "Ian"
/// ```
///
/// It can be used from any thread, and keeps what was added alive.
public final class Form: Sendable {
    struct Contents {
        var parts: [FormPart] = []
        var disabled: [FieldPath] = []
        var touched: [ObjectIdentifier: AnyField] = [:]
        /// What others said that is about no field.
        var general: [Issue] = []
        /// What a validation found about parts, and the revision that they had.
        var found: [(revision: UInt64, issues: [Issue])] = []
        /// What follows the reads of the checks of parts, while somebody observes the form.
        var checkReads: [Int: ReadFollower] = [:]
        /// How many validations have begun, and which of them has found what is here.
        var validations = (begun: 0, found: 0)
        /// Fields of models in fields that were given issues.
        var reported: [FieldPlace] = []
        /// What fields were given about models in them as a whole.
        var verdicts: [ModelVerdict] = []
        var submitCount = 0
        /// How often the form was discarded, so that an answer to what it was before is known.
        var age = 0
        var isSubmitSuccessful = false
        /// How many changes of several steps are under way.
        var openChanges = 0
        /// How many have begun.
        var changeCount = 0
        /// The state that observers know, and when it was looked up.
        var reportedState: (state: ValidationState, moment: UInt64)?
    }

    private let contents = Guarded(Contents())
    /// Notifies computed fields when what the form knows, or what something began with, is another.
    let marker = Field<Bool>()
    /// Made when somebody asks for it: in a process that has a computed field, reading any field costs more.
    let madeValidity = Guarded<Computed<ValidationState>?>(nil)
    let submission = Field<Bool>(value: false)

    /// A form without fields.
    public init() {}

    /// A form of fields, in this order: `Form(["email": email, "age": age])`.
    public convenience init(_ fields: KeyValuePairs<String, AnyField>) {
        self.init()
        for (name, field) in fields { add(field, named: name) }
    }

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - field: The field. It is changed when it differs from the value that it has now.
    ///   - name: Its key in paths, taken whole.
    /// - Returns: The form.
    @discardableResult
    public func add(_ field: AnyField, named name: String) -> Self {
        add(FormPart(field, at: FieldPath(key: name), marker))
    }

    /// Adds a draft of a value in a field, which gets a rule that asks checks.
    ///
    /// ```swift
    /// struct User: Equatable, Sendable { var name = "", age: Int? }
    /// let user = Field(value: Draft(User()))
    /// let form = Form().add(user, named: "user", checks: [.value(\.name, "name", .notBlank)])
    /// form.validate()   // .invalid(["user.name cannot be blank"])
    /// user.value?.name = "Ian"
    /// try form.commit()
    /// user.value?.base.name   // "Ian"
    /// ```
    ///
    /// It is changed when the draft says so, and committed with the form.
    ///
    /// - Parameters:
    ///   - draft: The field. A rule is for good: in another form it is added without checks.
    ///   - name: Its key in paths, taken whole; what a check finds has the name of the check after it.
    ///   - checks: What the value has to satisfy.
    /// - Returns: The form.
    @discardableResult
    public func add<Root: Equatable & Sendable>(
        _ draft: Field<Draft<Root>>,
        named name: String,
        checks: [Partial<Root>.Check]
    ) -> Self {
        draft.require(Rule(issues: { $0?.validationIssues(checks) ?? [] }))
        return add(draft, named: name)
    }

    /// Adds the fields of a model and its `check`, also those that it has beside its type's.
    ///
    /// - Parameters:
    ///   - model: The model. Its fields are changed when they differ from the values that they have
    ///     now.
    ///   - name: What stands before the paths of its fields; nothing, if there is none.
    /// - Returns: The form.
    @discardableResult
    public func add<M: Model>(_ model: M, named name: String? = nil) -> Self {
        let fields = model.allEntries.map { entry in
            let field = entry.field(in: model)
            return DraftedField(
                path: entry.path,
                baseline: Baseline(field, source: field, marker)
            )
        }
        return add(FormPart(model, at: Self.path(name), fields))
    }

    /// Adds the fields of a draft and the model's `check`; those of models that it embeds count as they do
    /// in the draft.
    ///
    /// - Parameters:
    ///   - draft: The draft. Its fields are changed when the draft says so.
    ///   - name: What stands before the paths of its fields; nothing, if there is none.
    /// - Returns: The form.
    @discardableResult
    public func add<M: Model>(_ draft: ModelDraft<M>, named name: String? = nil) -> Self {
        let path = Self.path(name)
        var part = FormPart(draft.scratch, at: path, draft.fields)
        part.drafts = [(path, draft)]
        part.models = draft.models
        return add(part)
    }

    private static func path(_ name: String?) -> FieldPath { name.map(FieldPath.init(key:)) ?? [] }

    private func add(_ part: FormPart) -> Self {
        withContents { $0.parts.append(part) }
        marker.touch()
        return self
    }

    /// Reads or changes the state; what leaves it is released after the lock.
    func withContents<Result>(_ body: (inout Contents) -> Result) -> Result {
        let (result, old) = contents.withLock { contents in
            let old = contents
            return (body(&contents), old)
        }
        withExtendedLifetime(old) {}
        return result
    }

    /// The state as it is now.
    var current: Contents { contents.withLock { $0 } }

    /// The same; a computed field that reads it is made again when it changes.
    var observedCurrent: Contents {
        _ = marker.value
        return current
    }
}
