import ModelKitModels

/// What an object and its record agree on, field by field in the order of the schema.
struct Agreements: Sendable {
    /// What a field has in common with the store.
    enum Agreement: Sendable {
        /// The value under this revision of the field.
        case revision(UInt64)
        /// This value, under this revision of the field or without a set of it: for models inside,
        /// whose edits do not change the revision.
        case value(AttributeValue?, UInt64)
    }

    private var revisions: ContiguousArray<UInt64> = []
    /// Empty where no field holds models, as with most types.
    private var values: [Int: AttributeValue?] = [:]

    /// - Parameters:
    ///   - fields: The fields.
    ///   - agreement: What is agreed on for one, by its index.
    @inline(__always)
    init(_ fields: [ModelSchema.Entry], _ agreement: (Int, ModelSchema.Entry) -> Agreement) {
        revisions.reserveCapacity(fields.count)
        for (index, entry) in fields.enumerated() {
            switch agreement(index, entry) {
            case .revision(let revision): revisions.append(revision)
            case .value(let value, let revision):
                revisions.append(revision)
                values[index] = .some(value)
            }
        }
    }

    subscript(index: Int) -> Agreement {
        get {
            let revision = revisions[index]
            if values.isEmpty { return .revision(revision) }
            return values[index].map { .value($0, revision) } ?? .revision(revision)
        }
        set {
            switch newValue {
            case .revision(let revision):
                revisions[index] = revision
                if !values.isEmpty { values.removeValue(forKey: index) }
            case .value(let value, let revision):
                revisions[index] = revision
                values[index] = .some(value)
            }
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
        for index in revisions.indices {
            let (own, others) = (revisions[index], other.revisions[index])
            if own == others ? prefersOwn : own > others { result[index] = self[index] }
        }
        return result
    }
}
