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
            switch agreement(index, entry) {
            case .revision(let revision): revisions.append(revision)
            case .value(let value, let revision):
                revisions.append(revision)
                values[index] = .some(value)
            }
        }
    }

    /// Those on all fields of a model under one revision, which no later edit has.
    init(on fields: [ModelSchema.Entry], under revision: UInt64) {
        (common, count) = (revision, fields.count)
    }

    subscript(index: Int) -> Agreement {
        get {
            let revision = revisions.isEmpty ? common : revisions[index]
            if values.isEmpty { return .revision(revision) }
            return values[index].map { .value($0, revision) } ?? .revision(revision)
        }
        set {
            if revisions.isEmpty { revisions = ContiguousArray(repeating: common, count: count) }
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

    /// Notes that some fields agree under a revision.
    mutating func note(_ range: Range<Int>, under revision: UInt64) {
        if range.count == count {
            (common, revisions, values) = (revision, [], [:])
        } else {
            for index in range { self[index] = .revision(revision) }
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
