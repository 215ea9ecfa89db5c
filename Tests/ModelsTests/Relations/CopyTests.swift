import ModelKitFields
import ModelKitModels
import Testing

@Suite struct ModelCopyTests {
    @Test func `a copy has the values, and models of its own`() {
        let studio = Studio(), ada = Artist(), bob = Artist()
        studio.id.value = "s"
        ada.name.value = "Ada"
        studio.artists.value = [ada, bob]
        let copy = studio.copy()
        #expect(copy != studio)
        #expect(copy.id.value == "s")
        #expect(copy.id.updatedAt == studio.id.updatedAt)
        #expect(copy.artists.count == 2)
        #expect(copy.artists[0]?.name.value == "Ada")
        #expect(copy.artists[0] != ada)
        #expect(copy.artists.value?.allSatisfy { $0.studio.value == copy } == true)
        #expect(copy.name.loadState == .notLoaded)
        #expect(copy.artists.updatedAt == studio.artists.updatedAt)
        copy.artists[0]?.name.value = "Eve"
        copy.artists.removeAll()
        #expect(ada.name.value == "Ada")
        #expect(studio.artists.value == [ada, bob])
        #expect(ada.studio.value == studio)
    }

    @Test func `a copy of some fields has only those`() {
        let artist = Artist()
        artist.id.value = "a"
        artist.name.value = "Ada"
        let copy = artist.copy(fields: [artist.name])
        #expect(copy.name.value == "Ada")
        #expect(copy.id.value == nil)
        #expect(copy.id.loadState == .notLoaded)
    }

    @Test func `a cyclic graph is copied once`() {
        let ada = Artist(), bob = Artist()
        ada.spouse.value = bob
        ada.friends.value = [ada, bob]
        ada.boss.value = ada
        let copy = ada.copy()
        #expect(copy.boss.value == copy)
        #expect(copy.reports.value == [copy])
        #expect(copy.spouse.value?.spouse.value == copy)
        #expect(copy.friends.value?.count == 2)
        #expect(copy.friends[0] == copy)
        #expect(ada.spouse.value == bob)
        for artist in [ada, bob, copy, copy.spouse.value] { artist?.unlink() }
    }

    @Test func `a foreign key of a copy is the same model, if that may have both`() {
        final class Team: Model {
            let id = Field<String>()
            let riders = ModelField<Rider>(inverse: \.team)*
            init() { linkFields() }
        }
        final class Rider: Model {
            let team = ModelField<Team>(foreignKey: true)
            let horse = ModelField<Horse>(foreignKey: true)
            init() { linkFields() }
        }
        final class Horse: Model {
            let rider = ModelField<Rider>(inverse: \.horse)
            init() { linkFields() }
        }
        let team = Team(), rider = Rider(), horse = Horse()
        rider.team.value = team
        rider.horse.value = horse
        let copy = rider.copy()
        #expect(copy.team.value == team)
        #expect(team.riders.value == [rider], "the copy joins when its key is set")
        #expect(copy.horse.value == nil)
        #expect(rider.horse.value == horse)
    }

    final class Order: Model {
        let id = Field<String>()
        let lines = ModelField<Line>(inverse: \.order)*
        let tags = ModelField<Tag>(foreignKey: true)*
        init() { linkFields() }
    }

    final class Line: Model {
        let id = Field<String>()
        let order = ModelField<Order>(foreignKey: true)
        init() { linkFields() }
    }

    final class Tag: Model {
        let id = Field<String>()
        let orders = ModelField<Order>(inverse: \.tags, foreignKey: true)*
        init() { linkFields() }
    }

    final class Cart: Model {
        let orders = ModelField<Order>()*
        let lines = ModelField<Line>()*
        let tags = ModelField<Tag>()*
    }

    @Test func `a copy keeps what is copied with it, also by a foreign key, and takes none`() {
        let order = Order(), lines = [Line(), Line(), Line()]
        order.lines.value = lines
        let copy = order.copy()
        #expect(order.lines.value == lines)
        #expect(lines.allSatisfy { $0.order.value == order })
        #expect(copy.lines.value == [], "the lines whose key is the order have no other")

        let line = lines[1].copy()
        #expect(line.order.value == order, "what is not copied is the same")
        #expect(order.lines.value == lines, "it joins no relation")
        line.order.value = order
        #expect(order.lines.value == lines + [line], "but by a set, to the same order, too")
        for order in [order, copy] { order.unlink() }
    }

    @Test func `a copy of a whole graph is apart from it, whatever is a foreign key`() {
        let cart = Cart(), order = Order(), line = Line(), stray = Line()
        let tag = Tag(), other = Tag()
        order.lines.value = [line, stray]
        order.tags.value = [other, tag]
        cart.orders.value = [order]
        cart.lines.value = [line]
        cart.tags.value = [tag]
        let copy = cart.copy()
        let copied = copy.orders[0]
        #expect(order.lines.value == [line, stray])
        #expect(order.tags.value == [other, tag])
        #expect(tag.orders.value == [order])
        #expect(copied?.lines.value?.first == copy.lines[0])
        #expect(copied?.tags.value == [other, copy.tags[0]].compactMap { $0 })
        #expect(copy.tags[0]?.orders.value == [copied].compactMap { $0 })
        #expect(other.orders.value == [order, copied].compactMap { $0 }, "it is shared")
        for order in [order, copied] { order?.unlink() }
    }

    @Test func `a merge takes what is newer and keeps its time`() {
        let old = Artist(), new = Artist()
        old.name.value = "old"
        old.id.value = "1"
        new.name.value = "new"
        new.id.value = "2"
        old.studio.value = Studio()
        #expect(old.merge(from: new, excluding: [old.id]) == [["name"]])
        #expect(old.name.value == "new")
        #expect(old.name.updatedAt == new.name.updatedAt)
        #expect(old.id.value == "1")
        #expect(old.studio.value != nil, "what is not loaded is not taken")
        #expect(new.merge(from: old) == [["studio"]])
        #expect(old.merge(from: new) { field, _ in field !== old.id } == [])
    }

    @Test func `an unloaded model keeps its identifier and the relations of others`() throws {
        let studio = Studio(), ada = Artist(), bike = Bike(), film = Film()
        ada.id.value = "a"
        ada.name.value = "Ada"
        ada.studio.value = studio
        ada.bike.value = bike
        film.cast.append(ada)
        let names = Collector<String?>()
        ada.name.observe(when: .changes) { name in names.add(name) }
        let bound = Field<String>()
        ada.name --> bound
        ada.unload()
        #expect(ada.loadState == .incomplete)
        #expect(ada.identifier == "a")
        #expect(names.values == [nil])
        #expect(bound.value == "Ada")
        #expect(ada.dictionaryValue() == ["id": "a"])
        #expect(ada.name.loadState == .notLoaded)
        #expect(ada.name.updatedAt == nil)
        #expect(studio.artists.value == [ada])
        #expect(bike.rider.value == ada)
        #expect(film.cast.value == [ada])
        try ada.read(dictionaryValue: ["name": "Ada"])
        #expect(ada.loadState == .loaded)

        let other = Studio()
        ada.studio.value = other
        #expect(studio.artists.value == [], "a set knows what was there before")
        #expect(other.artists.value == [ada])
        bike.rider.value = nil
        #expect(ada.bike.value == nil)
        film.cast.value = []
        ada.films.value = [film]
        #expect(film.cast.value == [ada])
    }

    @Test func `an unloaded relation stays so when the other side is set`() {
        let studio = Studio(), ada = Artist(), bob = Artist()
        ada.studio.value = studio
        studio.unload()
        bob.studio.value = studio
        #expect(studio.artists.value == nil)
        #expect(studio.artists.loadState == .notLoaded)
        ada.studio.value = nil
        studio.artists.value = []
        #expect(bob.studio.value == nil)
    }

    @Test func `blank is what says nothing, also in a cycle`() {
        let ada = Artist(), bob = Artist()
        #expect(ada.isBlank)
        ada.spouse.value = bob
        ada.name.value = " "
        #expect(ada.isBlank)
        bob.studio.value = Studio()
        #expect(ada.isBlank)
        bob.studio.value?.name.value = "x"
        #expect(!ada.isBlank)
        bob.studio.value?.unlink()
        ada.unlink()
    }

    @Test func `visitors see each model once`() {
        let ada = Artist(), bob = Artist()
        ada.friends.value = [ada, bob]
        let fields = Artist.schema.fields.count
        var count = 0
        ada.visitAllFields { _ in count += 1 }
        #expect(count == fields * 2)
        var own: [AnyField] = []
        ada.visitAllFields(recursive: false) { own.append($0) }
        #expect(own.count == fields)
        #expect(own.first === ada.id)
        var models = 0
        ada.visitAllFieldValues(recursive: false) { if $0 is Artist { models += 1 } }
        #expect(models == 2)
        ada.unlink()
    }

    @Test func `paths reach through models and arrays`() throws {
        let studio = Studio(), ada = Artist()
        studio.artists.append(ada)
        studio["artists[0].name"] = "Ada"
        #expect(ada.name.value == "Ada")
        #expect(studio["artists[0].name"] as? String == "Ada")
        #expect(studio[["artists", 0]] as? Artist == ada)
        #expect(try studio.field(at: ["artists", 0, "name"]) === ada.name)
        try studio.setValue(nil, at: ["artists", 0, "name"])
        #expect(ada.name.value == nil)
    }

    @Test(arguments: ["nothing", "artists[3].name", "artists[0].nothing", "name.x", "a..b"])
    func `a path that leads nowhere is reported`(path: String) throws {
        let studio = Studio()
        studio.name.value = "x"
        studio.artists.append(Artist())
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            #expect(studio[path] == nil)
            studio[path] = "y"
        }
        #expect(messages.values.map(\.code) == [.refusedPath, .refusedPath])
        #expect(messages.values.map(\.field) == [path, path])
        #expect(studio.name.value == "x")
        studio.unlink()
    }

    @Test func `a value of another type is refused`() {
        let studio = Studio()
        studio.name.value = "x"
        #expect {
            try studio.setValue(3, at: ["name"])
        } throws: { error in
            (error as? ModelKitFields.Issue)?.description == "name must be String, not Int"
        }
        #expect(studio.name.value == "x")
    }
}
