import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct ModelCopyTests {
    @Test func `a copy has the values, and models of its own`() {
        let studio = Studio(), ada = Artist(), bob = Artist()
        studio.id.value = "s"
        ada.name.value = "Ada"
        studio.artists.value = [ada, bob]
        let copy = studio.copy()
        expect(copy != studio)
        expect(copy.id.value, equals: "s")
        expect(copy.id.updatedAt, equals: studio.id.updatedAt)
        expect(copy.artists.count, equals: 2)
        expect(copy.artists[0]?.name.value, equals: "Ada")
        expect(copy.artists[0] != ada)
        expect(copy.artists.value?.allSatisfy { $0.studio.value == copy }, equals: true)
        expect(copy.name.loadState, equals: .notLoaded)
        expect(copy.artists.updatedAt, equals: studio.artists.updatedAt)
        copy.artists[0]?.name.value = "Eve"
        copy.artists.removeAll()
        expect(ada.name.value, equals: "Ada")
        expect(studio.artists.value, equals: [ada, bob])
        expect(ada.studio.value, equals: studio)
    }

    @Test func `a copy of some fields has only those`() {
        let artist = Artist()
        artist.id.value = "a"
        artist.name.value = "Ada"
        let copy = artist.copy(fields: [artist.name])
        expect(copy.name.value, equals: "Ada")
        expect(copy.id.value, equals: nil)
        expect(copy.id.loadState, equals: .notLoaded)
    }

    @Test func `a cyclic graph is copied once`() {
        let ada = Artist(), bob = Artist()
        ada.spouse.value = bob
        ada.friends.value = [ada, bob]
        ada.boss.value = ada
        let copy = ada.copy()
        expect(copy.boss.value, equals: copy)
        expect(copy.reports.value, equals: [copy])
        expect(copy.spouse.value?.spouse.value, equals: copy)
        expect(copy.friends.value?.count, equals: 2)
        expect(copy.friends[0], equals: copy)
        expect(ada.spouse.value, equals: bob)
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
        expect(copy.team.value, equals: team)
        expect(team.riders.value, equals: [rider], "the copy joins when its key is set")
        expect(copy.horse.value, equals: nil)
        expect(rider.horse.value, equals: horse)
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
        expect(order.lines.value, equals: lines)
        expect(lines.allSatisfy { $0.order.value == order })
        expect(copy.lines.value, equals: [], "the lines whose key is the order have no other")

        let line = lines[1].copy()
        expect(line.order.value, equals: order, "what is not copied is the same")
        expect(order.lines.value, equals: lines, "it joins no relation")
        line.order.value = order
        expect(order.lines.value, equals: lines + [line], "but by a set, to the same order, too")
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
        expect(order.lines.value, equals: [line, stray])
        expect(order.tags.value, equals: [other, tag])
        expect(tag.orders.value, equals: [order])
        expect(copied?.lines.value?.first, equals: copy.lines[0])
        expect(copied?.tags.value, equals: [other, copy.tags[0]].compactMap { $0 })
        expect(copy.tags[0]?.orders.value, equals: [copied].compactMap { $0 })
        expect(other.orders.value, equals: [order, copied].compactMap { $0 }, "it is shared")
        for order in [order, copied] { order?.unlink() }
    }

    @Test func `a merge takes what is newer and keeps its time`() {
        let old = Artist(), new = Artist()
        old.name.value = "old"
        old.id.value = "1"
        new.name.value = "new"
        new.id.value = "2"
        old.studio.value = Studio()
        expect(old.merge(from: new, excluding: [old.id]), equals: [["name"]])
        expect(old.name.value, equals: "new")
        expect(old.name.updatedAt, equals: new.name.updatedAt)
        expect(old.id.value, equals: "1")
        expect(old.studio.value != nil, "what is not loaded is not taken")
        expect(new.merge(from: old), equals: [["studio"]])
        expect(old.merge(from: new) { field, _ in field !== old.id }, equals: [])
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
        expect(ada.loadState, equals: .incomplete)
        expect(ada.identifier, equals: "a")
        expect(names.values, equals: [nil])
        expect(bound.value, equals: "Ada")
        expect(ada.dictionaryValue(), equals: ["id": "a"])
        expect(ada.name.loadState, equals: .notLoaded)
        expect(ada.name.updatedAt, equals: nil)
        expect(studio.artists.value, equals: [ada])
        expect(bike.rider.value, equals: ada)
        expect(film.cast.value, equals: [ada])
        try ada.read(dictionaryValue: ["name": "Ada"])
        expect(ada.loadState, equals: .loaded)

        let other = Studio()
        ada.studio.value = other
        expect(studio.artists.value, equals: [], "a set knows what was there before")
        expect(other.artists.value, equals: [ada])
        bike.rider.value = nil
        expect(ada.bike.value, equals: nil)
        film.cast.value = []
        ada.films.value = [film]
        expect(film.cast.value, equals: [ada])
    }

    @Test func `an unloaded relation stays so when the other side is set`() {
        let studio = Studio(), ada = Artist(), bob = Artist()
        ada.studio.value = studio
        studio.unload()
        bob.studio.value = studio
        expect(studio.artists.value, equals: nil)
        expect(studio.artists.loadState, equals: .notLoaded)
        ada.studio.value = nil
        studio.artists.value = []
        expect(bob.studio.value, equals: nil)
    }

    @Test func `blank is what says nothing, also in a cycle`() {
        let ada = Artist(), bob = Artist()
        expect(ada.isBlank)
        ada.spouse.value = bob
        ada.name.value = " "
        expect(ada.isBlank)
        bob.studio.value = Studio()
        expect(ada.isBlank)
        bob.studio.value?.name.value = "x"
        expect(!ada.isBlank)
        bob.studio.value?.unlink()
        ada.unlink()
    }

    @Test func `visitors see each model once`() {
        let ada = Artist(), bob = Artist()
        ada.friends.value = [ada, bob]
        let fields = Artist.schema.fields.count
        var count = 0
        ada.visitAllFields { _ in count += 1 }
        expect(count, equals: fields * 2)
        var own: [AnyField] = []
        ada.visitAllFields(recursive: false) { own.append($0) }
        expect(own.count, equals: fields)
        expect(own.first === ada.id)
        var models = 0
        ada.visitAllFieldValues(recursive: false) { if $0 is Artist { models += 1 } }
        expect(models, equals: 2)
        ada.unlink()
    }

    @Test func `paths reach through models and arrays`() throws {
        let studio = Studio(), ada = Artist()
        studio.artists.append(ada)
        studio["artists[0].name"] = "Ada"
        expect(ada.name.value, equals: "Ada")
        expect(studio["artists[0].name"] as? String, equals: "Ada")
        expect(studio[["artists", 0]] as? Artist, equals: ada)
        try expect(studio.field(at: ["artists", 0, "name"]) === ada.name)
        try studio.setValue(nil, at: ["artists", 0, "name"])
        expect(ada.name.value, equals: nil)
    }

    @Test(arguments: ["nothing", "artists[3].name", "artists[0].nothing", "name.x", "a..b"])
    func `a path that leads nowhere is reported`(path: String) throws {
        let studio = Studio()
        studio.name.value = "x"
        studio.artists.append(Artist())
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            expect(studio[path] == nil)
            studio[path] = "y"
        }
        expect(messages.values.map(\.code), equals: [.refusedPath, .refusedPath])
        expect(messages.values.map(\.field), equals: [path, path])
        expect(studio.name.value, equals: "x")
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
        expect(studio.name.value, equals: "x")
    }

    final class Guild: Model {
        let members = ModelField<Smith>(inverse: \.guild)*
        let master = ModelField<Smith>(inverse: \.mastered)
        static let common = Setting<Guild?>(nil)
        init() { linkFields() }
    }

    final class Smith: Model {
        let guild = ModelField<Guild>(value: Guild.common.value, foreignKey: true)
        let mastered = ModelField<Guild>(value: Guild.common.value, foreignKey: true)
        let pupils = ModelField<Smith>()*
        let tools = ModelField<Tool>(inverse: \.smith)*
        init() { linkFields() }
    }

    final class Tool: Model {
        let smith = ModelField<Smith>()
        init() { linkFields() }
    }

    @Test func `a copy does not join what its keys have by default`() {
        let common = Guild(), other = Guild(), tool = Tool()
        Guild.common.value = common
        defer { Guild.common.value = nil }
        let smith = Smith(), pupil = Smith()
        pupil.guild.value = other
        smith.mastered.value = common
        smith.pupils.value = [pupil]
        smith.tools.value = [tool]
        let counts = Collector<Int>()
        let observation = common.members.observe(when: .changes) { counts.add($0?.count ?? 0) }
        let copy = smith.copy()
        expect(common.members.value == [smith] && other.members.value == [pupil])
        expect(common.master.value === smith && smith.mastered.value === common)
        expect(copy.guild.value === common && copy.mastered.value == nil)
        expect(copy.pupils[0]?.guild.value === other)
        expect(copy.tools[0]?.smith.value === copy && tool.smith.value === smith)
        expect(counts.values, equals: [], "nobody has seen it there")
        observation.cancel()
        copy.guild.value = common
        expect(common.members.value, equals: [smith, copy])
        copy.guild.value = other
        expect(common.members.value == [smith] && other.members.value == [pupil, copy])
        for smith in [smith, pupil, copy] { smith.unlink() }
    }

    final class Shelf: Model {
        let books = ModelField<Book>(inverse: \.shelf)*
        static let common = Setting<Shelf?>(nil)
        init() { linkFields() }
    }

    final class Book: Model {
        let shelf = ModelField<Shelf>(value: Shelf.common.value, foreignKey: true)
        init() { linkFields() }
    }

    final class Box: Model {
        let book = ModelField<Book>(value: Book())
        let others = ModelField<Book>()*
        init() { others.value = [Book(), Book()] }
    }

    final class Crate: Model {
        let id = Field<String>()
        let box = ModelField<Box>(value: Box())
    }

    @Test func `models that a copy has by default do not join what their keys have by default`() {
        let common = Shelf(), other = Shelf()
        // Each schema has a model of its own, with what its keys have by default then.
        expect(
            [Crate.schema.name, Box.schema.name, Book.schema.name],
            equals: ["Crate", "Box", "Book"]
        )
        Shelf.common.value = common
        defer { Shelf.common.value = nil }
        let crate = Crate(), stray = Crate()
        let books = common.books.value ?? []
        expect(books.count, equals: 6)
        let copies = [crate.copy(), crate.copy(fields: [crate.id])]
        expect(common.books.value, equals: books)
        for copy in copies {
            expect(copy.box.value !== crate.box.value)
            expect(
                copy.box.value?.book.value?.shelf.value === common
                    && copy.box.value?.others.count == 2
            )
            copy.box.value?.book.value?.shelf.value = common
        }
        expect(common.books.count, equals: 8)
        _ = Crate()
        expect(common.books.count, equals: 11, "a new one joins")
        stray.box.value?.book.value?.shelf.value = other
        expect(common.books.count == 10 && other.books.count == 1)
        for shelf in [common, other] { shelf.unlink() }
    }

    @Test(arguments: [0, 1, 100])
    func `a copy that all others know reports edits, not whole values`(_ count: Int) {
        let order = Order(), tags = (0..<count).map { _ in Tag() }, more = [Tag(), Tag()]
        order.tags.value = tags
        let copy = order.copy()
        for tag in more { tag.orders.append(copy) }
        for tag in tags.reversed() { tag.orders.append(copy) }
        more[0].orders.append(copy)
        expect(copy.tags.value, equals: tags + more)
        expect(tags.allSatisfy { $0.orders.value == [order, copy] })
        // Compared, it would be a removal and an insertion.
        let edits = Collector<[ArrayEdit<Tag>]>()
        let observation = copy.tags.observeEdits { edits.add($0.edits) }
        let (first, last) = (copy.tags[0] ?? Tag(), Tag())
        copy.tags.move(from: 0, to: count + 1)
        copy.tags.append(last)
        observation.cancel()
        expect(
            edits.values.dropFirst().map { $0 },
            equals: [[.move(first, from: 0, to: count + 1)], [.insert(last, at: count + 2)]]
        )
        expect(last.orders.value, equals: [copy])
        for order in [order, copy] { order.unlink() }
    }

    // What runs beside it would be measured, too.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["MODELKIT_TEST_ALONE"] != nil),
        arguments: [0, 1]
    )
    func `the time of each other that a copy joins does not grow with their number`(_ kept: Int) {
        func time(_ count: Int) -> Duration {
            let order = Order(), tags = (0..<count).map { _ in Tag() }
            order.tags.value = (0..<kept).map { _ in Tag() }
            let copy = order.copy()
            defer { for order in [order, copy] { order.unlink() } }
            return ContinuousClock().measure { for tag in tags { tag.orders.append(copy) } }
        }
        // By the square, eight times as many would take 64 times as long.
        let ratios = (0..<3).map { _ in time(8_000) / time(1_000) }
        expect(ratios.contains { $0 < 24 }, "\(ratios)")
    }
}
