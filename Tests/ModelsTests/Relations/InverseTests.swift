import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

@Suite struct InverseTests {
    @Test func `a set of either side of one to many sets both`() {
        let studio = Studio(), other = Studio(), ada = Artist(), bob = Artist()
        ada.studio.value = studio
        expect(studio.artists.value, equals: [ada])
        studio.artists.append(bob)
        expect(bob.studio.value, equals: studio)
        bob.studio.value = other
        expect(studio.artists.value, equals: [ada])
        expect(other.artists.value, equals: [bob])
        other.artists.value = [ada]
        expect(ada.studio.value, equals: other)
        expect(bob.studio.value, equals: nil)
        expect(studio.artists.value, equals: [])
        other.artists.removeAll()
        expect(ada.studio.value, equals: nil)
    }

    @Test func `what is bound to a relation is delivered before what the relation sets`() {
        let choice = ModelField<Studio>(), ada = Artist(), studio = Studio()
        choice --> ada.studio
        let log = Collector<String>()
        ada.studio.observe { _ in log.add("studio") }
        studio.artists.observe { _ in log.add("artists") }
        choice.observe { _ in log.add("choice") }
        let before = log.values.count
        choice.value = studio
        let names = Array(log.values.dropFirst(before))
        expect(names.first, equals: "choice")
        expect(names.sorted(), equals: ["artists", "choice", "studio"])
    }

    @Test func `a key that is set while a closure modifies it is modified anew`() {
        let studios = [Studio(), Studio(), Studio()], ada = Artist()
        ada.studio.value = studios[0]
        var seen: [Studio?] = []
        ada.studio.modify { studio in
            seen.append(studio)
            // As another thread may do.
            if seen.count == 1 { ada.studio.value = studios[1] }
            if studio == studios[0] { studio = studios[2] }
        }
        expect(seen, equals: [studios[0], studios[1]])
        expect(ada.studio.value, equals: studios[1])
        expect(studios.map { $0.artists.value?.count ?? 0 }, equals: [0, 1, 0])
    }

    @Test func `a set of either side of one to one takes the partner from whoever had it`() {
        let ada = Artist(), bob = Artist(), red = Bike(), blue = Bike()
        ada.bike.value = red
        expect(red.rider.value, equals: ada)
        blue.rider.value = bob
        expect(bob.bike.value, equals: blue)
        bob.bike.value = red
        expect(red.rider.value, equals: bob)
        expect(ada.bike.value, equals: nil)
        expect(blue.rider.value, equals: nil)
        red.rider.value = nil
        expect(bob.bike.value, equals: nil)
    }

    @Test func `a set of either side of many to many sets both`() {
        let ada = Artist(), bob = Artist(), one = Film(), two = Film()
        ada.films.value = [one, two]
        one.cast.append(bob)
        expect(one.cast.value, equals: [ada, bob])
        expect(bob.films.value, equals: [one])
        two.cast.value = [bob]
        expect(ada.films.value, equals: [one])
        expect(bob.films.value, equals: [one, two])
        expect(bob.films.remove(at: 0))
        expect(one.cast.value, equals: [ada])
    }

    @Test func `a field can be its own inverse`() {
        let ada = Artist(), bob = Artist(), cyd = Artist(), dan = Artist()
        ada.spouse.value = bob
        expect(bob.spouse.value, equals: ada)
        cyd.spouse.value = dan
        bob.spouse.value = cyd
        expect([ada, bob, cyd, dan].map(\.spouse.value), equals: [nil, cyd, bob, nil])
        ada.spouse.value = ada
        expect(ada.spouse.value, equals: ada)
        ada.friends.value = [ada, bob]
        expect(bob.friends.value, equals: [ada])
        bob.friends.removeFirst(ada)
        expect(ada.friends.value, equals: [ada])
    }

    @Test func `inverses within one type make a tree`() {
        let boss = Artist(), one = Artist(), two = Artist()
        one.boss.value = boss
        boss.reports.append(two)
        expect(boss.reports.value, equals: [one, two])
        expect(two.boss.value, equals: boss)
        boss.boss.value = boss
        expect(boss.reports.value, equals: [one, two, boss])
        boss.reports.value = []
        expect([boss, one, two].allSatisfy { $0.boss.value == nil })
    }

    @Test func `models without identifiers are distinguished by what they are`() {
        let studio = Studio()
        let artists = (0..<3).map { _ in Artist() }
        for artist in artists { artist.studio.value = studio }
        expect(studio.artists.value, equals: artists)
        artists[1].id.value = "late"
        artists[1].studio.value = nil
        expect(studio.artists.value, equals: [artists[0], artists[2]])
    }

    @Test func `a model is in a relation once`() {
        let studio = Studio(), ada = Artist(), bob = Artist()
        ada.studio.value = studio
        expect(!studio.artists.append(ada))
        expect(studio.artists.append(contentsOf: [ada, bob, bob]))
        expect(studio.artists.value, equals: [ada, bob])
        expect(!studio.artists.replace(at: 0, with: bob))
        expect(!studio.artists.insert(ada, at: 2))
        studio.artists.value = [bob, ada, bob]
        expect(studio.artists.value, equals: [bob, ada])
        let source = Field<[Artist]>()
        source.value = [ada, ada]
        source --> studio.artists
        expect(studio.artists.value, equals: [ada])
        expect(bob.studio.value, equals: nil)
    }

    @Test func `an array may be appended to in any length`() {
        let studio = Studio()
        let artists = (0..<1000).map { _ in Artist() }
        for artist in artists { studio.artists.append(artist) }
        expect(studio.artists.value, equals: artists)
        let other = Studio()
        for artist in artists { artist.studio.value = other }
        expect(studio.artists.value, equals: [])
        expect(other.artists.value, equals: artists)
        studio.artists.value = artists
        expect(other.artists.value, equals: [])
        expect(artists.allSatisfy { $0.studio.value == studio })
    }

    @Test func `each side is notified once, when all sides are set`() {
        let studio = Studio(), other = Studio(), ada = Artist()
        ada.studio.value = studio
        let events = Collector<String>()
        let check = { @Sendable (name: String) in
            let isWhole =
                ada.studio.value == other && other.artists.value == [ada]
                && studio.artists.value == []
            events.add("\(name) \(isWhole)")
        }
        ada.studio.observe(when: .changes) { (_: Studio?) in check("studio") }
        studio.artists.observe(when: .changes) { (_: [Artist]?) in check("old") }
        other.artists.observe(when: .changes) { (_: [Artist]?) in check("new") }
        ada.studio.value = other
        expect(events.values, equals: ["studio true", "old true", "new true"])
    }

    @Test func `a partner is moved without a moment at which it has nobody`() {
        let ada = Artist(), bob = Artist(), red = Bike()
        ada.bike.value = red
        let riders = Collector<Artist?>()
        red.rider.observe(when: .changes) { rider in riders.add(rider) }
        bob.bike.value = red
        expect(riders.values, equals: [bob])
    }

    @Test func `the edits of the other side replay on a mirror`() {
        let studio = Studio(), other = Studio()
        let artists = (0..<4).map { _ in Artist() }
        let mirror = Collector<[ArrayEdit<Artist>]>()
        studio.artists.value = artists
        studio.artists.observeEdits { change in mirror.add(change.edits) }
        artists[1].studio.value = other
        artists[1].studio.value = studio
        studio.artists.move(from: 3, to: 0)
        let edits = mirror.values.suffix(3)
        expect(
            Array(edits),
            equals: [
                [.remove(artists[1], at: 1)], [.insert(artists[1], at: 3)],
                [.move(artists[1], from: 3, to: 0)],
            ]
        )
    }

    @Test func `a set of the same is none for the other side`() {
        let studio = Studio(), ada = Artist()
        ada.studio.value = studio
        let sets = Collector<Int>()
        studio.artists --> { (_: [Artist]?) in sets.add(1) }
        ada.studio.value = studio
        studio.artists.move(from: 0, to: 0)
        expect(sets.values.count, equals: 1)
        expect(studio.artists.value, equals: [ada])
    }

    @Test func `initial values are linked`() {
        final class Owner: Model {
            let pets: ModelArrayField<Pet>

            init() {
                pets = ArrayField(ModelField<Pet>(inverse: \.owner), value: [Pet(), Pet()])
                linkFields()
            }
        }
        final class Pet: Model {
            let owner = ModelField<Owner>()
            init() { linkFields() }
        }
        let owner = Owner()
        expect(owner.pets.value?.allSatisfy { $0.owner.value == owner }, equals: true)
        expect(owner.pets.loadState, equals: .notLoaded)
    }

    @Test func `a change in a batch, along a binding and by merge keeps both sides`() {
        let studio = Studio(), other = Studio(), ada = Artist(), bob = Artist()
        let counts = Collector<Int>()
        studio.artists.observe(when: .changes) { artists in counts.add(artists?.count ?? 0) }
        batch {
            ada.studio.value = studio
            bob.studio.value = studio
            bob.studio.value = other
            expect(studio.artists.value, equals: [ada])
        }
        expect(counts.values, equals: [1])

        let choice = Field<Studio>()
        choice.value = studio
        choice --> ada.studio
        choice.value = other
        expect(other.artists.value, equals: [bob, ada])
        let mirror = Field<[Artist]>()
        studio.artists --> mirror
        ada.studio.value = studio
        expect(mirror.value, equals: [ada])

        let source = ModelField<Studio>()
        source.value = studio
        expect(bob.studio.merge(from: source))
        expect(studio.artists.value, equals: [ada, bob])
        expect(bob.studio.updatedAt, equals: source.updatedAt)
    }

    @Test func `computed fields see both sides`() {
        let studio = Studio(), ada = Artist()
        let count = Computed { studio.artists.value?.count }
        let received = Collector<Int?>()
        count.observe { count in received.add(count) }
        ada.studio.value = studio
        ada.studio.value = nil
        expect(count.value, equals: 0)
        expect(received.values, equals: [0, 1, 0])
    }

    @Test func `a draft and a copied field are no partners`() throws {
        let studio = Studio(), ada = Artist()
        ada.studio.value = studio
        let messages = Collector<Diagnostic>()
        try ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let draft = ada.draft()
            expect(studio.artists.value, equals: [ada])
            draft.studio.value = nil
            expect(studio.artists.value, equals: [ada])
            try draft.commit()
            expect(studio.artists.value, equals: [])
            let copy = ada.bike.copy()
            copy.value = Bike()
            expect(copy.value?.rider.value, equals: nil)
            let list = studio.artists.copy()
            list.append(ada)
            expect(ada.studio.value, equals: nil)
        }
        expect(messages.values, equals: [])
    }

    @Test func `a graph in which everybody knows everybody has an end`() throws {
        let artists = (0..<12).map { number in
            let artist = Artist()
            artist.id.value = "\(number)"
            return artist
        }
        let films = (0..<12).map { _ in Film() }
        for artist in artists { artist.friends.value = artists }
        for film in films { film.cast.value = artists }
        expect(artists[0].description.count < 1_000_000)
        let dictionary = artists[0].dictionaryValue()
        let read = try IdentityMap().read(Artist.self, dictionary)
        expect(read.friends.count, equals: 12)
        expect(read.friends[11]?.friends.count, equals: 12)
        expect(read.friends.value?.allSatisfy { $0.friends.contains(read) }, equals: true)
        let copy = artists[0].copy()
        expect(copy.friends[7]?.friends[8] === copy.friends[8])
        expect(copy.films.value?.map(\.cast.count), equals: films.map { _ in 12 })
        for artist in artists + (copy.friends.value ?? []) + (read.friends.value ?? []) {
            artist.unlink()
        }
    }

    @Test func `a model that is in two fields and in no cycle is written twice`() {
        final class Address: Model { let street = Field<String>() }
        final class Person: Model {
            let home = ModelField<Address>()
            let work = ModelField<Address>()
        }
        let person = Person(), address = Address()
        address.street.value = "Main"
        person.home.value = address
        person.work.value = address
        expect(
            person.dictionaryValue(),
            equals: ["home": ["street": "Main"], "work": ["street": "Main"]]
        )
    }

    @Test func `an array that is large has each object once, however it was edited`() {
        let studio = Studio()
        let artists = (0..<200).map { _ in Artist() }
        studio.artists.value = Array(artists[..<150])
        func expectThose(_ expected: [Artist], _ line: Int = #line) {
            expect(studio.artists.value, equals: expected, "line \(line)")
            expect(artists.filter { $0.studio.value === studio }.count, equals: expected.count)
        }
        studio.artists.append(artists[3])
        artists[7].studio.value = studio
        expectThose(Array(artists[..<150]))
        artists[150].studio.value = studio
        studio.artists.append(artists[150])
        expectThose(Array(artists[...150]))
        studio.artists.remove(at: 0)
        artists[1].studio.value = nil
        studio.artists.append(artists[0])
        artists[1].studio.value = studio
        expectThose(Array(artists[2...150]) + [artists[0], artists[1]])
        studio.artists.value = artists.reversed()
        studio.artists.append(artists[199])
        expectThose(artists.reversed())
        studio.artists.insert(artists[198], at: 0)
        expectThose(artists.reversed())
        studio.artists.removeAll { $0 === artists[100] || $0 === artists[101] }
        artists[100].studio.value = studio
        studio.artists.append(artists[101])
        expect(studio.artists.count, equals: 200)
        studio.unload()
        artists[100].studio.value = nil
        expect(studio.artists.isEmpty)
        studio.artists.value = artists
        studio.artists.append(artists[199])
        expectThose(artists)
        studio.unlink()
    }
}
