import ModelKitFields
import ModelKitModels
import ModelKitStores

/// The other side of a key, whatever its types are.
struct ScriptRelation: Sendable {
    let name: String
    /// The name of the member's field.
    var key: FieldKey {
        switch name {
        case "parts": "whole"
        case "lines": "order"
        case "tagged": "tags"
        default: "shop"
        }
    }
    let owner: ScriptKind
    let member: ScriptKind
    var cascades = false
    var isRequired = false
    var hasSeveralOwners = false
    let isSingle: Bool
    /// The members that the field has; nil where it has no value.
    let members: @Sendable (any Model) -> [any Model]?
    let loadState: @Sendable (any Model) -> LoadState
    /// What is computed of them: the total and the count; nil of a relation with one member.
    let computed: @Sendable (any Model) -> (total: Int?, count: Int?)?
    let load: @Sendable ([any Model], any ModelStore) async throws -> [any Model]
    /// Lists the owners that are stored, with their members.
    let listOwners: @Sendable (any ModelStore) async throws -> [any Model]
    let unload: @Sendable (any Model, any ModelStore) -> Void
    let count: @Sendable (any Model, any ModelStore) async throws -> Int?
    /// Puts a member in, and takes one out, by the owner's field.
    let append: @Sendable (any Model, any Model) -> Void
    let remove: @Sendable (any Model, any Model) -> Void
    let owners: @Sendable (any Model) -> [any Model]
    let setOwners: @Sendable (any Model, [any Model]) -> Void
    /// Writes an owner with the members.
    let save: @Sendable (any Model, any ModelStore) async throws -> Void

    static let all: [ScriptRelation] = [
        many("items", .shop, \ScriptShop.items, \.itemsTotal, \.itemsCount, .item, \.shop),
        many(
            "orders",
            .shop,
            \ScriptShop.orders,
            \.ordersTotal,
            \.ordersCount,
            .order,
            \.shop,
            cascades: true
        ),
        one("licence", .shop, \ScriptShop.licence, .licence, \.shop),
        many(
            "seals",
            .shop,
            \ScriptShop.seals,
            \.sealsTotal,
            \.sealsCount,
            .seal,
            \.shop,
            isRequired: true
        ),
        many("parts", .item, \ScriptItem.parts, \.partsTotal, \.partsCount, .item, \.whole),
        many(
            "lines",
            .order,
            \ScriptOrder.lines,
            \.linesTotal,
            \.linesCount,
            .line,
            \.order,
            cascades: true
        ),
        tagged("tagged", .tag, \ScriptTag.orders, \.ordersTotal, \.ordersCount, .order, \.tags),
    ]

    static func all(of owner: ScriptKind) -> [ScriptRelation] { all.filter { $0.owner == owner } }

    static func all(to member: ScriptKind) -> [ScriptRelation] {
        all.filter { $0.member == member }
    }

    static func named(_ name: String) -> ScriptRelation? { all.first { $0.name == name } }
}

private typealias Path<Root, Value> = any KeyPath<Root, Value> & Sendable

extension ScriptRelation {
    private static func many<Owner: Model, Member: Model>(
        _ name: String,
        _ owner: ScriptKind,
        _ field: Path<Owner, ModelArrayField<Member>>,
        _ total: Path<Owner, Computed<Int>>,
        _ count: Path<Owner, Computed<Int>>,
        _ member: ScriptKind,
        _ key: Path<Member, ModelField<Owner>>,
        cascades: Bool = false,
        isRequired: Bool = false
    ) -> ScriptRelation {
        var relation = array(name, owner, field, total, count, member) {
            $0[keyPath: key].value.map { [$0] } ?? []
        } _: {
            $0[keyPath: key].value = $1.first
        }
        relation.cascades = cascades
        relation.isRequired = isRequired
        return relation
    }

    private static func tagged<Owner: Model, Member: Model>(
        _ name: String,
        _ owner: ScriptKind,
        _ field: Path<Owner, ModelArrayField<Member>>,
        _ total: Path<Owner, Computed<Int>>,
        _ count: Path<Owner, Computed<Int>>,
        _ member: ScriptKind,
        _ key: Path<Member, ModelArrayField<Owner>>
    ) -> ScriptRelation {
        var relation = array(name, owner, field, total, count, member) {
            $0[keyPath: key].value ?? []
        } _: {
            $0[keyPath: key].value = $1
        }
        relation.hasSeveralOwners = true
        return relation
    }

    private static func array<Owner: Model, Member: Model>(
        _ name: String,
        _ owner: ScriptKind,
        _ field: Path<Owner, ModelArrayField<Member>>,
        _ total: Path<Owner, Computed<Int>>,
        _ count: Path<Owner, Computed<Int>>,
        _ member: ScriptKind,
        _ owners: @escaping @Sendable (Member) -> [Owner],
        _ setOwners: @escaping @Sendable (Member, [Owner]) -> Void
    ) -> ScriptRelation {
        ScriptRelation(
            name: name,
            owner: owner,
            member: member,
            isSingle: false,
            members: { ($0 as? Owner)?[keyPath: field].value },
            loadState: { ($0 as? Owner)?[keyPath: field].loadState ?? .error },
            computed: { model in
                (model as? Owner).map { ($0[keyPath: total].value, $0[keyPath: count].value) }
            },
            load: { models, store in
                let owners = models.compactMap { $0 as? Owner }
                if owners.count == 1 { return try await store.load(owners[0], field).value }
                return try await store.load(owners, field).value
            },
            listOwners: { try await $0.list(Owner.self, including: .relation(field)).value },
            unload: { model, store in (model as? Owner).map { store.unload($0, field) } },
            count: { model, store in
                guard let owner = model as? Owner else { return nil }
                return try await store.count(owner[keyPath: field]).value
            },
            append: { owner, member in
                guard let owner = owner as? Owner, let member = member as? Member else { return }
                owner[keyPath: field].append(member)
            },
            remove: { owner, member in
                guard let owner = owner as? Owner, let member = member as? Member else { return }
                owner[keyPath: field].removeAll { $0 === member }
            },
            owners: { ($0 as? Member).map(owners) ?? [] },
            setOwners: { member, owners in
                (member as? Member).map { setOwners($0, owners.compactMap { $0 as? Owner }) }
            },
            save: { model, store in
                guard let owner = model as? Owner else { return }
                _ = try await store.save(owner, including: .relation(field)).value
            }
        )
    }

    private static func one<Owner: Model, Member: Model>(
        _ name: String,
        _ owner: ScriptKind,
        _ field: Path<Owner, ModelField<Member>>,
        _ member: ScriptKind,
        _ key: Path<Member, ModelField<Owner>>
    ) -> ScriptRelation {
        ScriptRelation(
            name: name,
            owner: owner,
            member: member,
            isSingle: true,
            members: { ($0 as? Owner)?[keyPath: field].value.map { [$0] } },
            loadState: { ($0 as? Owner)?[keyPath: field].loadState ?? .error },
            computed: { _ in nil },
            load: { models, store in
                let owners = models.compactMap { $0 as? Owner }
                if owners.count == 1 {
                    return try await store.load(owners[0], field).value.map { [$0] } ?? []
                }
                return try await store.load(owners, field).value
            },
            listOwners: { try await $0.list(Owner.self, including: .relation(field)).value },
            unload: { model, store in (model as? Owner).map { store.unload($0, field) } },
            count: { _, _ in nil },
            append: { owner, member in
                ((member as? Member)?[keyPath: key]).map { $0.value = owner as? Owner }
            },
            remove: { _, member in ((member as? Member)?[keyPath: key]).map { $0.value = nil } },
            owners: { ($0 as? Member)?[keyPath: key].value.map { [$0] } ?? [] },
            setOwners: { member, owners in
                ((member as? Member)?[keyPath: key]).map { $0.value = owners.first as? Owner }
            },
            save: { model, store in
                guard let owner = model as? Owner else { return }
                _ = try await store.save(owner, including: .relation(field)).value
            }
        )
    }
}
