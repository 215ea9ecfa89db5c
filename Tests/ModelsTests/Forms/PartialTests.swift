import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// What the form tests fill in.
struct Member: Equatable, Sendable {
    struct Pet: Equatable, Sendable { var name: String }

    let firstName: String
    let lastName: String
    let age: Int?
    var pet = Pet(name: "Rex")
    var tags: [String] = []
}

@Suite struct PartialTests {
    @Test func `update sets a value, and nil erases it`() throws {
        var partial = Partial<Member>()
        partial.update(\.firstName, to: "Ian")
        try expect(partial.value(for: \.firstName), equals: "Ian")
        partial.update(\.firstName, to: "Jan")
        try expect(partial.value(for: \.firstName), equals: "Jan")
        partial.update(\.firstName, to: nil)
        expect(!partial.contains(\.firstName))
    }

    @Test func `value throws the key path of a property that is not set`() {
        let partial = Partial<Member>()
        #expect(throws: Partial<Member>.Error.valueNotFound(\.firstName)) {
            try partial.value(for: \.firstName)
        }
    }

    /// Of the original, a literal nil erased and a variable that was nil was stored.
    @Test func `defect 3: nil of an optional property is stored, however it is spelled`() throws {
        let nobody: Int? = nil
        var partial = Partial<Member>()
        partial.update(\.age, to: nobody)
        expect(partial.contains(\.age))
        try expect(partial.value(for: \.age), equals: nil)
        partial.remove(\.age)
        partial.update(\.age, to: nil)
        expect(partial.contains(\.age))
        partial.update(\.age, to: 18)
        try expect(partial.value(for: \.age), equals: 18)
    }

    /// Of the original, which overload was chosen decided.
    @Test
    func `defect 4: value throws for an optional property that is not set, in generic code too`() {
        func read<Value: Sendable>(
            _ keyPath: any KeyPath<Member, Value> & Sendable,
            of partial: Partial<Member>
        ) throws -> Value {
            try partial.value(for: keyPath)
        }
        var partial = Partial<Member>()
        let error = Partial<Member>.Error.valueNotFound(\.age)
        #expect(throws: error) { try partial.value(for: \.age) }
        #expect(throws: error) { try read(\.age, of: partial) }
        partial.update(\.age, to: nil)
        #expect(throws: Never.self) { try read(\.age, of: partial) }
    }

    /// So nothing is ever named by a key path.
    @Test func `defect 5: a key path is a property of its own, and no text is made of it`() throws {
        var partial = Partial<Member>()
        partial.update(\.pet.name, to: "Tom")
        expect(!partial.contains(\.pet))
        partial.update(\.pet, to: Member.Pet(name: "Rex"))
        try expect(partial.value(for: \.pet.name), equals: "Tom")
        expect(
            partial.description,
            equals: "Partial<Member>(\"Tom\", \(String(reflecting: Member.Pet(name: "Rex"))))"
        )
        expect(
            Partial<Member>.Error.valueNotFound(\.age).description,
            equals: "a property of type Optional<Int> is not set in a partial Member"
        )
    }

    @Test func `a property of a value is read through the value`() throws {
        var partial = Partial<Member>()
        #expect(throws: Partial<Member>.Error.valueNotFound(\.pet)) {
            try partial.value(for: \.pet, \.name)
        }
        partial.update(\.pet, to: Member.Pet(name: "Rex"))
        try expect(partial.value(for: \.pet, \.name), equals: "Rex")
    }

    @Test func `subscripts and members read without throwing, and write`() {
        var partial = Partial<Member>()
        expect(partial[\.firstName], equals: nil)
        expect(partial.age, equals: nil)
        partial[\.firstName] = "Ian"
        partial.lastName = "Keen"
        partial.age = nil
        partial.tags = []
        partial.tags?.append("red")
        let age: Int? = partial[\.age]
        expect(partial.firstName, equals: "Ian")
        expect(partial[\.lastName], equals: "Keen")
        expect(age, equals: nil)
        expect(partial.contains(\.age), "nil is a value of an optional property")
        expect(partial.tags, equals: ["red"])
        partial.lastName = nil
        expect(!partial.contains(\.lastName))
    }

    @Test func `removeValue returns what it removes`() {
        var partial = Partial<Member>()
        partial.firstName = "Ian"
        partial.age = nil
        expect(partial.removeValue(for: \.firstName), equals: "Ian")
        expect(partial.removeValue(for: \.firstName), equals: nil)
        expect(partial.removeValue(for: \.age), equals: .some(nil))
        expect(partial.keyPaths.isEmpty)
    }

    @Test func `the key paths are in the order of their first setting`() {
        var partial = Partial<Member>()
        partial.age = 1
        partial.firstName = "Ian"
        partial.lastName = "Keen"
        partial.age = 2
        expect(partial.keyPaths, equals: [\Member.age, \.firstName, \.lastName])
        partial.remove(\.age)
        partial.remove(\.tags)
        partial.age = 3
        expect(partial.keyPaths, equals: [\Member.firstName, \.lastName, \.age])
    }

    @Test func `a copy is independent, and may be sent to another task`() async {
        var partial = Partial<Member>()
        partial.firstName = "Ian"
        let copy = partial
        partial.firstName = "Jan"
        partial.age = 3
        await expect(Task.detached { copy.firstName }.value, equals: "Ian")
        expect(!copy.contains(\.age))
    }
}
