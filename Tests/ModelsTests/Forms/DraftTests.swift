import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// What the draft tests edit.
struct Profile: Equatable, Sendable {
    struct Address: Equatable, Sendable { var street = "High Street", city = "Leeds" }

    var name = "Ann"
    var age: Int? = 30
    var weight = Double.nan
    var address = Address()
    var tags = ["red"]

    var greeting: String { "Hello \(name)" }
}

private typealias Path = any PartialKeyPath<Profile> & Sendable

@Suite struct DraftTests {
    @Test func `a draft reads the base until it is set, and leaves the base alone`() {
        var draft = Draft(Profile())
        expect(draft.name, equals: "Ann")
        expect(draft[\.tags], equals: ["red"])
        expect(draft.greeting, equals: "Hello Ann")
        draft.name = "Bob"
        draft[\.tags].append("blue")
        draft.address.street = "Low Street"
        expect(draft[\.name], equals: "Bob")
        expect(draft.greeting, equals: "Hello Bob", "what is computed is computed of the changes")
        expect(draft.tags, equals: ["red", "blue"])
        expect(draft.address, equals: Profile.Address(street: "Low Street"))
        expect(draft.base.name, equals: "Ann")
        expect(draft.value.name, equals: "Bob")
    }

    @Test func `changes are in the order of the first change, and typed back are none`() {
        var draft = Draft(Profile())
        draft.age = 31
        draft.name = "Bob"
        draft.age = 32
        expect(draft.changes, equals: [\Profile.age, \.name] as [Path])
        draft.age = 30
        expect(draft.changes, equals: [\Profile.name] as [Path])
        draft.age = 33
        expect(draft.changes, equals: [\Profile.name, \.age] as [Path])
        draft.name = "Ann"
        draft.age = 30
        expect(!draft.isDirty)
        expect(draft.changes.isEmpty)
    }

    @Test func `nil is a value of an optional property`() {
        var draft = Draft(Profile())
        draft.age = nil
        expect(draft.isDirty(\.age))
        expect(draft.value.age, equals: nil)
        draft.rebase(onto: Profile(name: "Bob"))
        expect(draft.value.age, equals: nil)
        draft.age = 30
        expect(!draft.isDirty)
    }

    @Test func `a NaN is the NaN that was there`() {
        var draft = Draft(Profile())
        draft.weight = .nan
        expect(!draft.isDirty)
        draft.weight = 60
        expect(draft.isDirty(\.weight))
        draft.weight = 0 / 0
        expect(!draft.isDirty)
    }

    @Test func `what cannot be compared is changed once it is set, until it is reverted`() {
        struct Button: Sendable { var title = "", action: @Sendable () -> Int = { 1 } }
        var draft = Draft(Button())
        expect(!draft.isDirty(\.action))
        draft.action = draft.base.action
        expect(draft.isDirty(\.action))
        expect(draft.rebase(onto: Button(title: "New", action: { 2 })).count, equals: 1)
        expect(draft.action(), equals: 1)
        draft.revert(\.action)
        expect(!draft.isDirty)
        expect(draft.action(), equals: 2)
    }

    @Test func `an object inside is not set through a draft`() {
        let messages = Collector<Diagnostic>()
        var draft = Draft(Profile())
        draft.name = "Bob"
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let person = Person()
            var holder = Draft(Holder(person: person))
            holder.person.name.value = "set on the object itself"
            holder[\Holder.shared.count] = 3
            expect(holder.shared.count, equals: 0)
            expect(!holder.isDirty)
            holder.revert(\.shared.count)
        }
        expect(messages.values.map(\.code), equals: [.draftOfObject])
    }

    // MARK: Overlapping key paths

    @Test func `key paths that overlap read and write one value`() {
        var draft = Draft(Profile())
        draft[\.address.street] = "Low Street"
        expect(draft.changes, equals: [\Profile.address.street] as [Path])
        expect(draft.isDirty(\.address))
        expect(draft.isDirty(\.address.street))
        expect(!draft.isDirty(\.address.city))
        draft[\.address.city] = "York"
        draft[\.address] = Profile.Address(street: "Low Street", city: "Hull")
        expect(draft[\.address.city], equals: "Hull")
        expect(
            draft.changes,
            equals: [\Profile.address.street, \.address.city, \.address] as [Path]
        )
        draft.revert(\.address)
        expect(!draft.isDirty)
        expect(draft[\.address.city], equals: "Leeds")
    }

    @Test func `a part of what was set as a whole is reverted alone`() {
        var draft = Draft(Profile())
        draft[\.address] = Profile.Address(street: "Low Street", city: "Hull")
        draft.revert(\.address.city)
        expect(draft.address, equals: Profile.Address(street: "Low Street"))
        expect(draft.changes, equals: [\Profile.address] as [Path])
        draft.revert(\.address.street)
        expect(!draft.isDirty)
        draft.revert(\.greeting)
        expect(draft.greeting, equals: "Hello Ann")
    }

    // MARK: Ending

    @Test func `discard starts again`() {
        var draft = Draft(Profile())
        draft.name = "Bob"
        draft.touch(\.name)
        draft.discard()
        expect(!draft.isDirty)
        expect(draft.touched.isEmpty)
        expect(draft.name, equals: "Ann")
    }

    @Test func `after a commit the value is the base`() {
        var draft = Draft(Profile())
        draft.name = "Bob"
        draft.touch(\.age)
        expect(draft.commit().name, equals: "Bob")
        expect(!draft.isDirty)
        expect(draft.touched.isEmpty)
        draft.name = "Ann"
        expect(draft.changes, equals: [\Profile.name] as [Path])
    }

    @Test func `touched is what was touched, in this order, until it is reverted`() {
        var draft = Draft(Profile())
        draft.name = "Bob"
        expect(!draft.isTouched(\.name))
        draft.touch(\.age)
        draft.touch(\.name)
        draft.touch(\.age)
        expect(draft.touched, equals: [\Profile.age, \.name] as [Path])
        draft.revert(\.age)
        expect(draft.touched, equals: [\Profile.name] as [Path])
    }

    // MARK: Rebase

    @Test func `a rebase takes what is new, keeps the changes and reports the conflicts`() {
        var draft = Draft(Profile())
        draft.name = "Bob"
        draft.age = 31
        draft.tags = ["blue"]
        let conflicts = draft.rebase(
            onto: Profile(name: "Cid", age: 31, weight: 60, tags: ["red"])
        )
        expect(conflicts, equals: [\Profile.name] as [Path])
        expect(
            draft.changes,
            equals: [\Profile.name, \.tags] as [Path],
            "the age is none any more"
        )
        expect(draft.weight, equals: 60)
        expect(draft.value, equals: Profile(name: "Bob", age: 31, weight: 60, tags: ["blue"]))
        draft.revert(\.name)
        expect(draft.name, equals: "Cid")
        expect(draft.rebase(onto: draft.base).isEmpty)
    }

    @Test func `a rebase of a part takes the rest`() {
        var draft = Draft(Profile(weight: 60))
        draft[\.address.street] = "Low Street"
        let moved = Profile(weight: 60, address: Profile.Address(city: "York"))
        expect(draft.rebase(onto: moved).isEmpty)
        expect(draft.address, equals: Profile.Address(street: "Low Street", city: "York"))
    }

    @Test func `a part that is set as a member of the whole changes the whole`() {
        var draft = Draft(Profile(weight: 60))
        draft.address.street = "Low Street"
        expect(draft.changes, equals: [\Profile.address] as [Path])
        let moved = Profile(weight: 60, address: Profile.Address(city: "York"))
        expect(draft.rebase(onto: moved), equals: [\Profile.address] as [Path])
        expect(draft.address, equals: Profile.Address(street: "Low Street", city: "Leeds"))
    }

    @Test func `a copy is another draft, and drafts are compared by what they hold`() {
        var draft = Draft(Profile(weight: 60))
        let copy = draft
        expect(draft, equals: copy)
        draft.name = "Bob"
        expect(draft != copy)
        expect(copy.name, equals: "Ann")
        expect("\(copy)".hasSuffix("changes: 0)"))
    }

    /// Against a copy that is set by the same key paths.
    @Test func `random edits are what the value has, and exactly what differs is dirty`() {
        withSeed { random in
            for _ in 0..<100 { edit(Draft(Profile(weight: 1)), using: &random) }
        }
    }

    private func edit(_ start: Draft<Profile>, using random: inout SeededGenerator) {
        let base = start.base
        var (draft, expected) = (start, base)
        for _ in 0..<40 {
            let text = ["Ann", "High Street", "Leeds", "x"].randomElement(using: &random) ?? ""
            let number = Int.random(in: 29...31, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                expected.name = text
                draft.name = text
            case 1:
                expected.age = number
                draft.age = number
            case 2:
                expected.address.street = text
                draft[\.address.street] = text
            case 3:
                expected.address.city = text
                draft[\.address.city] = text
            case 4:
                expected.address = Profile.Address(street: text, city: "Leeds")
                draft[\.address] = expected.address
            case 5:
                expected.address = base.address
                draft.revert(\.address)
            case 6:
                expected.address.street = base.address.street
                draft.revert(\.address.street)
            default:
                expected.name = base.name
                draft.revert(\.name)
            }
            expect(draft.value, equals: expected)
            expect(draft.isDirty, equals: (expected != base))
            expect(draft.isDirty(\.address), equals: (expected.address != base.address))
            expect(draft.changes.allSatisfy { draft.isDirty($0) })
        }
        var other = draft
        expect(other.rebase(onto: base).isEmpty)
        expect(other, equals: draft)
        for keyPath in draft.changes { draft.revert(keyPath) }
        expect(draft.value, equals: base)
    }

    @Test func `a form with a draft in a field is as dirty as the draft`() async throws {
        let profile = Field(
            value: Draft(Profile(weight: 60, address: Profile.Address(city: "Rome")))
        )
        let form = Form(["profile": profile])
        expect(!form.isDirty)
        profile.value?.weight = 70
        expect(form.changes, equals: [["profile"]])
        try await form.submit { profile.value?.commit() }
        expect(!form.isDirty)
        profile.value?.weight = 80
        expect(form.isDirty)
        form.discard()
        expect(profile.value?.value.weight, equals: 70)
        expect(!form.isDirty)
    }
}

private final class Shared: Sendable {
    // Set by nobody: the test shows that.
    nonisolated(unsafe) var count = 0
}

private struct Holder: Sendable {
    let person: Person
    var shared = Shared()
}
