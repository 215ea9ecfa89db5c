// Compiled, mostly: every form of observing and binding. Two targets have this file: one without and one
// with main-actor default isolation.
import Dispatch
import ModelKit
import Testing

final class Person: Model {
    let id = Field<Int>()
    let name = Field<String>(name: "Name").require(.notBlank)
    let age = Field<Int>().require { $0 > 0 }.require("must be even") { $0 % 2 == 0 }
    let tags = Field<String>().require(.notBlank)*
    let labels = Field<String>(name: "Labels")*.require(.minItems(1))
    let boss = ModelField<Person>()
    let friends = ModelField<Person>()*
}

final class Name: Model {
    let first = Field<String>()
    let last = Field<String>()
    let full: Computed<String>

    init() {
        full = Computed { [first, last] in (first.value ?? "") + " " + (last.value ?? "") }
    }
}

@MainActor
final class Label {
    var text: String?
}

@MainActor
final class Screen: ObservationOwner {
    let person = Person()
    let label = Label()
    let nameField = Field<String>()
    let queue = DispatchQueue(label: "screen")

    func load() {
        person.name.onMain --> { [weak self] name in self?.label.text = name }
        person.name.onMain --> { [weak self] old, new in self?.label.text = new ?? old }
        person.name.onMain --> { [weak self] in self?.label.text = nil }
        person.name.onMain --> self { [weak self] name in self?.label.text = name }
        person.name.onMain.observe { [weak self] name in self?.label.text = name }
        person.name.onMain.observe(when: .changes) { [weak self] name in self?.label.text = name }
        person.name.onMain.observe(self) { screen, name in screen.label.text = name }
        person.name.onMain.observe(self, when: .changes) { screen, name in
            screen.label.text = name
        }
        person.name --> self { value in _ = value?.count }
        person.name.observe(self) { _, value in _ = value?.count }
        person.name.on(queue) --> self { value in _ = value?.count }
        person.name.on(queue).observe(self) { _, value in _ = value?.count }
        nameField <--> person.name
    }

    func compute() {
        let name = Name()
        name.full --> { full in _ = full?.count }
        name.full --> { old, new in _ = (old, new) }
        name.full --> {}
        name.full --> self { full in _ = full?.count }
        name.full.observe(self) { _, full in _ = full?.count }
        name.full.onMain --> { [weak self] full in self?.label.text = full }
        name.full.onMain.observe(self) { screen, full in screen.label.text = full }
        name.full --> nameField
        nameField <-- name.full
        name.full -/-> nameField
        let length = Computed { [full = name.full] in full.value?.count }
        label.text = length.value.map(String.init)
        batch {
            nameField.value = label.text
            name.first.modify { $0 = untracked { nameField.value } }
        }
        person.tags.observeEdits(self) { _, change in _ = change.edits.count }
        person.tags.onMain.observeEdits(self) { screen, change in
            screen.label.text = change.new.first
        }
    }

    func follow() async {
        for await name in person.name.values { label.text = name }
        for await name in person.name.values(buffering: .unbounded) { label.text = name }
        for await change in person.name.changes { label.text = change.new ?? change.old }
        for await change in person.name.changes(buffering: .newest) { label.text = change.new }
    }

    func unload() {
        person.name -/-> self
        person.name.removeObserver(nameField)
        person.name.removeAllObservers()
    }
}

final class Plain: ObservationOwner, ValueObserver {
    let person = Person()

    nonisolated func valueChanged(_ observable: any ValueObservable<String>, value: String?) {}

    func load(_ other: Person) {
        person.name --> { name in _ = name?.count }
        person.name --> { old, new in _ = (old, new) }
        person.name --> {}
        person.name --> self { value in _ = value?.count }
        person.name --> self
        self <-- person.name
        person.name.observe { name in _ = name?.count }
        person.name.observe { old, new in _ = (old, new) }
        person.name.observe {}
        person.name.observe(when: .changes) { old, new in _ = (old, new) }
        person.name.observe(self) { plain, name in _ = (plain, name) }
        person.name.addObserver(self)
        person.name.addObserver { name in _ = name?.count }
        person.name.on(.main) --> { name in _ = name?.count }
        person.name.on(.main) --> { old, new in _ = (old, new) }
        person.name.on(.main) --> {}
        person.name.on(.main) --> self { value in _ = value?.count }
        person.name.on(.main).observe(when: .changes) { old, new in _ = (old, new) }
        person.name.on(.main).observe(self) { plain, name in _ = (plain, name) }
        person.name --> other.name --> { name in _ = name?.count }
        other.name <-- person.name
        person.tags --> { tags in _ = tags?.count }
        person.tags <--> other.tags
        person.friends --> { friends in _ = friends?.count }
        person.boss <--> other.boss
        let scoped = person.age.observe { age in _ = age }.scoped()
        scoped.observation.cancel()
        let observation: Observation = person.age --> { age in _ = age }
        observation.cancel()
        person.name -/-> other.name
        person.name -/-> self
    }
}

nonisolated func useAnywhere(_ person: Person, _ owner: Screen) {
    person.name --> { name in _ = name }
    person.name --> owner { value in _ = value }
    person.name.onMain.observe(owner) { screen, name in screen.label.text = name }
    let field: AnyField = person.name
    _ = field.validate()
}

@Suite struct Spellings {
    @MainActor
    @Test func `a screen is told of every name`() {
        let screen = Screen()
        screen.load()
        screen.person.name.value = "Ada"
        #expect(screen.label.text == "Ada")
        #expect(screen.nameField.value == "Ada")
        screen.unload()
        screen.person.name.value = "Bob"
        #expect(screen.label.text == "Ada")
    }

    @MainActor
    @Test func `a plain class uses every form`() {
        let plain = Plain()
        let other = Person()
        plain.load(other)
        plain.person.tags.value = ["a"]
        #expect(other.tags.value == ["a"])
        useAnywhere(plain.person, Screen())
    }

    @MainActor
    @Test func `a promise continues on the main actor`() async throws {
        let store = MemoryModelStore()
        let person = Person()
        person.name.value = "Ada"
        person.labels.value = ["x"]
        let label = Label()
        let named = store.create(person).onMain.map { person in
            label.text = person.name.value
        }
        try await named.value
        #expect(label.text == "Ada")
        #expect(person.id.value == 1)
    }
}
