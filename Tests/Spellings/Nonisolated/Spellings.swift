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
        person.name.onMain --> self { [weak self] old, new in self?.label.text = new ?? old }
        person.name.onMain --> self { [weak self] in self?.label.text = nil }
        person.name.onMain.observe(self) { screen, old, new in screen.label.text = new ?? old }
        person.name.onMain.observe(self, when: .changes) { screen, _, new in
            screen.label.text = new
        }
        let token = person.name.onMain --> { [weak self] name in self?.label.text = name }
        person.name.onMain -/-> token
        person.name --> self { value in _ = value?.count }
        person.name --> self { old, new in _ = (old, new) }
        person.name --> self {}
        person.name.observe(self) { _, value in _ = value?.count }
        person.name.observe(self) { _, old, new in _ = (old, new) }
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
        name.full.observe { full in _ = full?.count }
        name.full.observe { old, new in _ = (old, new) }
        name.full.observe {}
        name.full.observe(self) { _, old, new in _ = (old, new) }
        name.full.bind(to: nameField) { $0?.uppercased() }
        let token = name.full --> { full in _ = full?.count }
        name.full -/-> token
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
        person.name.onMain -/-> self
        person.name.on(queue) -/-> self
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
        let tokens = [
            person.name --> { name in _ = name?.count },
            person.name --> self { old, new in _ = (old, new) },
            person.name --> self {},
            person.name.on(.main) --> { name in _ = name?.count },
        ]
        for token in tokens { person.name -/-> token }
        person.name.observe { name in _ = name?.count }
        person.name.observe { old, new in _ = (old, new) }
        person.name.observe {}
        person.name.observe(when: .changes) { old, new in _ = (old, new) }
        person.name.observe(self) { plain, name in _ = (plain, name) }
        person.name.addObserver(self)
        person.name.observe(self) { plain, old, new in _ = (plain, old, new) }
        person.name.addObserver(self, when: .changes)
        person.name --> { _ in }
        person.name --> { _, _ in }
        person.name --> { _ = $0?.count }
        person.name --> { _ = ($0, $1) }
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
        if !scoped.isCancelled { scoped.cancel() }
        let observation: Observation = person.age --> { age in _ = age }
        observation.cancel()
        person.name -/-> other.name
        person.name -/-> self
    }
}

extension Plain {
    func compute() {
        let name = Name()
        name.full --> { full in _ = full?.count }
        name.full --> { old, new in _ = (old, new) }
        name.full --> {}
        name.full --> self { full in _ = full?.count }
        name.full --> self
        self <-- name.full
        name.full.addObserver(self, when: .changes)
        name.full.observe { old, new in _ = (old, new) }
        name.full.observe(self) { plain, full in _ = (plain, full) }
        name.full.observe(self) { plain, old, new in _ = (plain, old, new) }
        name.full.on(.main) --> { full in _ = full?.count }
        let text = Field<String>()
        let length = Field<Int>()
        name.full --> text --> { text in _ = text?.count }
        name.full.bind(to: length) { $0?.count }
        let words = Computed { [full = name.full] in full.value?.split(separator: " ") }
        words.observeEdits { change in _ = change.difference.count }
        words.observeEdits(self) { plain, change in _ = (plain, change) }
        name.full -/-> self
        _ = name.full.observed
        name.full.dispose()
    }

    func bind(_ other: Person) {
        let text = Field<String>(value: "7").constrain(to: ["7", "8"])
        let age = Field<Int>().constrain(to: 0...150).equality { $0 == $1 }
        text.bind(to: age) { $0.flatMap { Int($0) } }
        text.bind(to: age, forward: { $0.flatMap { Int($0) } }, backward: { $0.map { "\($0)" } })
        age <--> person.age <--> other.age
        text.beginEditing()
        text.endEditing()
        text.touch()
        _ = text.observed
        _ = age.isNewer(than: text)
        (text as AnyField).observe { _ = text.value }
        (text as AnyField).observe(when: .changes) { _ = text.value }
        person.tags.observeEdits { change in _ = change.difference }
        person.tags.on(.main).observeEdits { change in _ = change.edits.count }
        person.tags.on(.main).observeEdits(self) { plain, change in _ = (plain, change.new) }
        age -/-> person.age
    }

    func wait() async {
        await person.name.settled()
        await Name().full.settled()
    }

    func back(_ nickname: Nickname, _ other: Nickname) {
        nickname --> { name in _ = name?.count }
        nickname --> { old, new in _ = (old, new) }
        nickname --> self { name in _ = name?.count }
        nickname --> self
        nickname <--> person.name <--> other
        nickname.field <--> other.field
        person.name --> nickname --> { name in _ = name?.count }
        nickname <-- Name().full
        nickname.observe(when: .changes) { name in _ = name?.count }
        nickname.observe(self) { plain, name in _ = (plain, name) }
        nickname.observe {}
        nickname -/-> self
    }
}

nonisolated final class Nickname: FieldBacked {
    let field = Field<String>()
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
    @Test func `a screen is notified of every name`() {
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
        plain.compute()
        plain.bind(other)
        plain.back(Nickname(), Nickname())
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
        let named: Promise = store.create(person).onMain.map { person in
            label.text = person.name.value
        }
        try await named.value
        #expect(label.text == "Ada")
        #expect(person.id.value == 1)
    }
}
