import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Neither a foreign key nor an identity map keeps more alive than the fields' own values.
@Suite struct ForeignKeyLifetimeTests {
    final class Club: Model {
        let id = Field<String>()
        let members = ModelField<Player>(inverse: \.club, foreignKey: true)*
        let captain = ModelField<Player>(inverse: \.leads, foreignKey: true)
        let guests = ModelField<Player>(inverse: \.visits, foreignKey: true)*
        init() { linkFields() }
    }

    final class Player: Model {
        let id = Field<String>()
        let club = ModelField<Club>(foreignKey: true)
        let leads = ModelField<Club>(foreignKey: true)
        let visits = ModelField<Club>(foreignKey: true)*
        init() { linkFields() }
    }

    final class Ticket: Model {
        let holder = ModelField<Player>(foreignKey: true)
        let others = ModelField<Player>(foreignKey: true)*
    }

    enum Kind: CaseIterable {
        case plain, plainArray, oneToMany, oneToOne, manyToMany

        /// Whether the models have each other.
        var isCycle: Bool { self != .plain && self != .plainArray }

        /// Makes models, the first of which has the others.
        func connect() -> [any Model] {
            let (ticket, club, ada, bob) = (Ticket(), Club(), Player(), Player())
            switch self {
            case .plain:
                ticket.holder.value = ada
                return [ticket, ada]
            case .plainArray:
                ticket.others.value = [ada, bob]
                return [ticket, ada, bob]
            case .oneToMany:
                club.members.value = [ada, bob]
                return [club, ada, bob]
            case .oneToOne:
                club.captain.value = ada
                return [club, ada]
            case .manyToMany:
                club.guests.value = [ada, bob]
                return [club, ada, bob]
            }
        }

        /// Makes models of a dictionary, of which all but the first are known by their keys alone.
        func read() throws -> [any Model] {
            let players: [AttributeValue] = ["a", "b"]
            switch self {
            case .plain, .plainArray:
                let values: AttributeDictionary =
                    self == .plain ? ["holder": "a"] : ["others": .array(players)]
                let ticket = try Ticket(dictionaryValue: values)
                return [ticket] + (ticket.others.value ?? [])
                    + [ticket.holder.value].compactMap(\.self)
            case .oneToMany:
                let club = try Club(dictionaryValue: ["members": .array(players)])
                return [club] + (club.members.value ?? [])
            case .oneToOne:
                let club = try Club(dictionaryValue: ["captain": "a"])
                return [club] + [club.captain.value].compactMap(\.self)
            case .manyToMany:
                let club = try Club(dictionaryValue: ["guests": .array(players)])
                return [club] + (club.guests.value ?? [])
            }
        }
    }

    /// How each model can be asked whether it is gone.
    private func watch(_ models: [any Model]) -> [() -> Bool] {
        models.map { model in { [weak model] in model == nil } }
    }

    @Test(arguments: Kind.allCases, [true, false])
    func `models that have each other live until one is unlinked, others go with the first`(
        kind: Kind,
        isRead: Bool
    ) throws {
        var gone: [() -> Bool] = []
        weak var root: (any Model)?
        do {
            let models = isRead ? try kind.read() : kind.connect()
            expect(models.count > 1)
            gone = watch(models)
            root = models[0]
        }
        expect(gone.allSatisfy { $0() != kind.isCycle })
        root?.unlink()
        expect(gone.allSatisfy { $0() })
    }

    @Test(arguments: Kind.allCases)
    func `an identity map keeps neither what was read nor its keys`(kind: Kind) throws {
        let map = IdentityMap()
        var gone: [() -> Bool] = []
        do {
            let models = try map.use { try kind.read() }
            gone = watch(models)
            models[0].unlink()
            expect(map.model(Player.self, identifier: "a") != nil)
        }
        expect(gone.allSatisfy { $0() })
        expect(map.model(Player.self, identifier: "a"), equals: nil)
    }

    @Test func `a key keeps its model while one side has it`() throws {
        let ticket = Ticket()
        weak var player: Player?
        do {
            let made = Player()
            player = made
            ticket.holder.value = made
            ticket.others.value = [made]
        }
        expect(player != nil)
        ticket.holder.value = nil
        expect(player != nil)
        ticket.others.removeAll()
        expect(player, equals: nil)
    }
}
