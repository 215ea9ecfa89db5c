import ModelKitModels

/// What an object and its record agree on, field by field in the order of the schema.
struct Agreements: Sendable {
    /// What a field has in common with the store.
    struct Agreement: Sendable {
        /// The revision of the field; 0 where it was never set.
        var revision: UInt64
        /// The value, under this revision or without a set of the field: for models inside, whose edits do not
        /// change the revision; nil where the revision alone says it.
        var value: AttributeValue??
    }

    /// Empty where it is the same for all.
    private var revisions: ContiguousArray<UInt64> = []
    private var common: UInt64
    private let count: Int
    /// Empty where no field holds models, as with most types.
    private var values: [Int: AttributeValue?] = [:]

    /// - Parameters:
    ///   - fields: The fields.
    ///   - agreement: What is agreed on for one, by its index.
    @inline(__always)
    init(_ fields: [ModelSchema.Entry], _ agreement: (Int, ModelSchema.Entry) -> Agreement) {
        (common, count) = (0, fields.count)
        revisions.reserveCapacity(fields.count)
        for (index, entry) in fields.enumerated() {
            let agreed = agreement(index, entry)
            revisions.append(agreed.revision)
            if let value = agreed.value { values[index] = .some(value) }
        }
    }

    /// Those on all fields of a model under one revision, which no later edit has.
    init(on fields: [ModelSchema.Entry], under revision: UInt64) {
        (common, count) = (revision, fields.count)
    }

    subscript(index: Int) -> Agreement {
        get {
            let revision = revisions.isEmpty ? common : revisions[index]
            return Agreement(revision: revision, value: values.isEmpty ? nil : values[index])
        }
        set {
            if revisions.isEmpty { revisions = ContiguousArray(repeating: common, count: count) }
            revisions[index] = newValue.revision
            if newValue.value != nil || !values.isEmpty { values[index] = newValue.value }
        }
    }

    /// Of two for the same fields what was agreed on later.
    ///
    /// - Parameters:
    ///   - other: The other one.
    ///   - prefersOwn: Which of two of one moment counts.
    /// - Returns: The two as one.
    func later(_ other: Agreements, prefersOwn: Bool = false) -> Agreements {
        var result = other
        for index in 0..<count {
            let (own, others) = (self[index], other[index])
            if own.revision == others.revision ? prefersOwn : own.revision > others.revision {
                result[index] = own
            }
        }
        return result
    }
}
