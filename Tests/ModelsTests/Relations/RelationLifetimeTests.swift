import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Nothing but the fields' own values keeps models alive.
@Suite struct RelationLifetimeTests {
    enum Kind: CaseIterable {
        case plain, plainArray, oneToMany, oneToOne, manyToMany, tree, spouses, friends

        /// Makes models that have each other, and gives what takes them apart.
        func connect() -> (models: [any Model], disconnect: () -> Void) {
            let ada = Artist(), bob = Artist(), studio = Studio(), bike = Bike(), film = Film()
            switch self {
            case .plain:
                final class Holder: Model { let artist = ModelField<Artist>() }
                let holder = Holder()
                holder.artist.value = ada
                return ([holder, ada], {})
            case .plainArray:
                final class Holder: Model { let artists = ModelField<Artist>()* }
                let holder = Holder()
                holder.artists.value = [ada, bob]
                return ([holder, ada, bob], {})
            case .oneToMany:
                studio.artists.value = [ada, bob]
                return ([studio, ada, bob], { studio.artists.value = nil })
            case .oneToOne:
                ada.bike.value = bike
                return ([ada, bike], { bike.rider.value = nil })
            case .manyToMany:
                ada.films.value = [film]
                bob.films.value = [film]
                return ([ada, bob, film], { film.cast.removeAll() })
            case .tree:
                ada.reports.value = [bob]
                return ([ada, bob], { bob.boss.value = nil })
            case .spouses:
                ada.spouse.value = bob
                return ([ada, bob], { bob.unlink() })
            case .friends:
                ada.friends.value = [ada, bob]
                return ([ada, bob], { ada.unlink() })
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `models are freed once they do not have each other`(kind: Kind) {
        var watched: [() -> Bool] = []
        do {
            let (models, disconnect) = kind.connect()
            for model in models {
                watched.append { [weak model] in model == nil }
            }
            disconnect()
        }
        expect(watched.allSatisfy { $0() })
    }

    @Test(arguments: Kind.allCases)
    func `observers of linked fields keep nothing alive`(kind: Kind) {
        var watched: [() -> Bool] = []
        do {
            let (models, disconnect) = kind.connect()
            for model in models {
                watched.append { [weak model] in model == nil }
                if let artist = model as? Artist {
                    artist.friends.observe { (_: [Artist]?) in }
                    artist.spouse.observe { (_: Artist?) in }
                }
            }
            disconnect()
        }
        expect(watched.allSatisfy { $0() })
    }

    @Test func `a model that dies with the last field is released outside of the locks`() {
        final class Guest: Model {
            let host = ModelField<Host>()
            let last = Field<Int>(value: 1)
            init() { linkFields() }
            deinit { host.value = nil }
        }
        final class Host: Model {
            let guest = ModelField<Guest>(inverse: \.host)
            let guests = ModelField<Visitor>(inverse: \.host)*
            init() { linkFields() }
        }
        final class Visitor: Model {
            let host = ModelField<Host>()
            init() { linkFields() }
            deinit { host.value = nil }
        }
        let host = Host()
        host.guest.value = Guest()
        host.guest.value = Guest()
        host.guest.value = nil
        host.guests.value = [Visitor(), Visitor()]
        host.guests.remove(at: 0)
        host.guests.value = []
        expect(host.guests.value, equals: [])
    }
}
