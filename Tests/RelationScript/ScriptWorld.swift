import ModelKitModels

/// A record, as its type and identifier.
struct ScriptRef: Hashable, Comparable, CustomStringConvertible {
    let kind: ScriptKind
    let identifier: Identifier
    let description: String

    init(kind: ScriptKind, identifier: Identifier) {
        (self.kind, self.identifier) = (kind, identifier)
        description = "\(kind.rawValue) \(identifier)"
    }

    static func == (left: ScriptRef, right: ScriptRef) -> Bool {
        left.description == right.description
    }

    static func < (left: ScriptRef, right: ScriptRef) -> Bool {
        left.description < right.description
    }

    func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// What has to be in the store, as plain values which know nothing of it.
struct ScriptWorld {
    struct Row: Equatable {
        var amount: Int
        /// The owners, by the names of relations.
        var owners: [String: [ScriptRef]] = [:]
        /// The place in the order of creation.
        let place: Int
    }

    private(set) var rows: [ScriptRef: Row] = [:] {
        didSet { members = nil }
    }
    /// The members of all owners, by relations; nil where that is to be found out.
    private var members: [String: [ScriptRef: [ScriptRef]]]?
    private var last = 0

    func refs(_ kind: ScriptKind) -> [ScriptRef] { rows.keys.filter { $0.kind == kind }.sorted() }

    /// The members of an owner, in the order of their creation.
    func members(of owner: ScriptRef, _ relation: ScriptRelation) -> [ScriptRef] {
        (members ?? allMembers)[relation.name]?[owner] ?? []
    }

    /// Finds all members once for many questions.
    mutating func index() { if members == nil { members = allMembers } }

    private var allMembers: [String: [ScriptRef: [ScriptRef]]] {
        var found: [String: [ScriptRef: [ScriptRef]]] = [:]
        for (ref, row) in rows.sorted(by: { $0.value.place < $1.value.place }) {
            for (name, owners) in row.owners {
                for owner in owners { found[name, default: [:]][owner, default: []].append(ref) }
            }
        }
        return found
    }

    mutating func create(_ ref: ScriptRef, _ amount: Int, _ owners: [String: [ScriptRef]]) {
        last += 1
        rows[ref] = Row(amount: amount, owners: owners, place: last)
    }

    mutating func setAmount(_ amount: Int, of ref: ScriptRef) { rows[ref]?.amount = amount }

    mutating func setOwners(_ owners: [ScriptRef], of ref: ScriptRef, _ relation: ScriptRelation) {
        rows[ref]?.owners[relation.name] = owners
    }

    /// Deletes records, those that go with them, and the keys that lead to them.
    ///
    /// - Returns: Whether that was done; it is not where another one needs one of them.
    mutating func delete(_ refs: [ScriptRef]) -> Bool {
        index()
        var gone = Set(refs)
        var open = refs
        while let owner = open.popLast() {
            for relation in ScriptRelation.all(of: owner.kind) where relation.cascades {
                open += members(of: owner, relation).filter { gone.insert($0).inserted }
            }
        }
        var new = rows.filter { !gone.contains($0.key) }
        for (ref, row) in new {
            for (name, owners) in row.owners {
                let left = owners.filter { !gone.contains($0) }
                if left.count == owners.count { continue }
                if ScriptRelation.named(name)?.isRequired ?? false { return false }
                new[ref]?.owners[name] = left
            }
        }
        rows = new
        return true
    }
}
