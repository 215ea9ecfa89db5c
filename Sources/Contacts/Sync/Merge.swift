import ModelKit

/// One of the two that are synced.
enum Side: Equatable {
    case here, there
}

/// What has to be done with a record so that both sides have the same.
enum SyncStep: Equatable {
    /// They have: it may have to be noted.
    case nothing
    /// It is made on a side.
    case create(Side)
    case delete(Side)
    /// Fields are set on the sides; null takes the value away.
    case change(here: [FieldKey: AttributeValue], there: [FieldKey: AttributeValue])
    case conflict([SyncConflict])
}

/// A field that both sides have changed, or a record that one has changed and the other deleted.
struct SyncConflict: Equatable, CustomStringConvertible {
    /// Nil for the whole record.
    var key: FieldKey?
    var here: AttributeValue?
    var there: AttributeValue?

    var description: String {
        guard let key else {
            return here == nil ? "deleted here, changed there" : "changed here, deleted there"
        }
        func text(_ value: AttributeValue?) -> String { value.map { "\($0)" } ?? "nothing" }
        return "\(key) is \(text(here)) here, \(text(there)) there"
    }
}

extension SyncStep {
    /// Compares three contents of a record: of what both sides had last, and what they have now.
    ///
    /// - Parameters:
    ///   - keys: The keys of its fields.
    ///   - base: What both had.
    ///   - here: What the database has; nil if it has no such record.
    ///   - there: What the server has.
    ///   - winner: Whose changes count, where both have made some; nil for nobody's.
    init(
        _ keys: [FieldKey],
        base: AttributeDictionary?,
        here: AttributeDictionary?,
        there: AttributeDictionary?,
        winner: Side?
    ) {
        switch (here, there) {
        case (nil, nil): self = .nothing
        case (let one?, nil), (nil, let one?):
            let (side, other): (Side, Side) = here == nil ? (.there, .here) : (.here, .there)
            if base == nil || base != one && winner == side {
                self = .create(other)
            } else if base == one || winner == other {
                self = .delete(side)
            } else {
                let conflict = SyncConflict(
                    here: here.map { .dictionary($0) },
                    there: there.map { .dictionary($0) }
                )
                self = .conflict([conflict])
            }
        case (let here?, let there?):
            self.init(keys, base ?? [:], here, there, winner)
        }
    }

    private init(
        _ keys: [FieldKey],
        _ base: AttributeDictionary,
        _ here: AttributeDictionary,
        _ there: AttributeDictionary,
        _ winner: Side?
    ) {
        var changes = (here: [FieldKey: AttributeValue](), there: [FieldKey: AttributeValue]())
        var conflicts: [SyncConflict] = []
        for key in keys where here[key] != there[key] {
            if here[key] == base[key] || winner == .there && there[key] != base[key] {
                changes.here[key] = there[key] ?? .null
            } else if there[key] == base[key] || winner == .here {
                changes.there[key] = here[key] ?? .null
            } else {
                conflicts.append(SyncConflict(key: key, here: here[key], there: there[key]))
            }
        }
        if !conflicts.isEmpty {
            self = .conflict(conflicts)
        } else if changes.here.isEmpty, changes.there.isEmpty {
            self = .nothing
        } else {
            self = .change(here: changes.here, there: changes.there)
        }
    }
}
