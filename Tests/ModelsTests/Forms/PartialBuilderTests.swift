import ModelKitFields
import ModelKitModels
import Testing

private struct Street: Equatable, PartialInitializable {
    let name: String
    let number: Int

    init(name: String, number: Int) {
        self.name = name
        self.number = number
    }

    init(from partial: Partial<Street>) throws {
        name = try partial.value(for: \.name)
        number = try partial.value(for: \.number)
    }
}

private struct Customer: Sendable {
    var name = ""
    var age: Int?
    var street = Street(name: "", number: 0)
    var second: Street?

    subscript(slot: Slot) -> Int { slot.number }
}

/// An argument of a key path whose hashing runs code of the test.
private struct Slot: Hashable {
    let number: Int
    let whenHashed: @Sendable () -> Void

    static func == (lhs: Slot, rhs: Slot) -> Bool { lhs.number == rhs.number }

    func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        whenHashed()
    }
}

@Suite struct PartialBuilderTests {
    @Test func `a listener for all changes is told the key path and the values`() {
        let seen = Collector<String>()
        let builder = PartialBuilder<Customer>()
        builder.update(\.name, to: "before")
        builder.subscribeToAllChanges { keyPath, partial in
            seen.add("\(keyPath == \Customer.name ? "name" : "age") \(partial.keyPaths.count)")
        }
        builder.update(\.name, to: "Ada")
        builder.update(\.age, to: nil)
        builder.update(\.name, to: nil)
        builder.remove(\.name)
        builder.remove(\.age)
        #expect(seen.values == ["name 1", "age 2", "name 1", "age 0"])
    }

    @Test func `a listener for one property is told its old and new value`() {
        let names = Collector<[String?]>()
        let ages = Collector<[Int?]>()
        let builder = PartialBuilder<Customer>()
        builder.subscribeForChanges(to: \.name) { old, new in names.add([old, new]) }
        builder.subscribeForChanges(to: \.age) { old, new in ages.add([old, new]) }
        builder.update(\.name, to: "Ada")
        builder.update(\.age, to: 3)
        builder.update(\.name, to: "Bob")
        builder.update(\.age, to: nil)
        builder.remove(\.name)
        #expect(names.values == [[nil, "Ada"], ["Ada", "Bob"], ["Bob", nil]])
        #expect(ages.values == [[nil, 3], [3, nil]])
    }

    @Test func `what a listener changes is told after the running change, to all in one order`() {
        let seen = Collector<String>()
        let builder = PartialBuilder<Customer>()
        builder.subscribeForChanges(to: \.age) { [weak builder] _, age in
            seen.add("first \(age ?? 0)")
            if let builder, let age, age < 3 { builder.update(\.age, to: age + 1) }
        }
        builder.subscribeForChanges(to: \.age) { _, age in seen.add("second \(age ?? 0)") }
        builder.update(\.age, to: 1)
        #expect(
            seen.values == ["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"]
        )
        #expect(builder.partial.age == 3)
    }

    @Test func `a listener that is added while a change is told sees only later ones`() {
        let seen = Collector<Int?>()
        let builder = PartialBuilder<Customer>()
        let subscriptions = Collector<PartialSubscription>()
        builder.subscribeForChanges(to: \.age) { [weak builder] _, age in
            guard age == 1, let builder else { return }
            builder.update(\.age, to: 2)
            builder.subscribeForChanges(to: \.age) { _, age in seen.add(age) }
            subscriptions.values.first?.cancel()
        }
        subscriptions.add(builder.subscribeForChanges(to: \.age) { _, _ in seen.add(-1) })
        builder.update(\.age, to: 1)
        #expect(seen.values == [])
        builder.update(\.age, to: 3)
        #expect(seen.values == [3])
    }

    @Test func `cancelling releases the listener`() {
        final class Token: Sendable {}
        weak var token: Token?
        let builder = PartialBuilder<Customer>()
        let subscription: PartialSubscription
        do {
            let strong = Token()
            token = strong
            subscription = builder.subscribeToAllChanges { _, _ in _ = strong }
        }
        #expect(token != nil)
        subscription.cancel()
        subscription.cancel()
        #expect(token == nil)
    }

    @Test func `a builder of a property sets it once its value can be made`() {
        let builder = PartialBuilder<Customer>()
        let street = builder.builder(for: \.street)
        let second = builder.builder(for: \.second)
        street.update(\.name, to: "High Street")
        second.update(\.name, to: "Low Street")
        #expect(builder.partial.keyPaths.isEmpty)
        street.update(\.number, to: 1)
        second.update(\.number, to: 2)
        #expect(builder.partial.street == Street(name: "High Street", number: 1))
        #expect(builder.partial.second == Street(name: "Low Street", number: 2))
        street.remove(\.name)
        second.remove(\.name)
        #expect(builder.partial.keyPaths.isEmpty)
    }

    @Test func `a detached builder no longer sets its property`() {
        let builder = PartialBuilder<Customer>()
        let street = builder.builder(for: \.street)
        street.update(\.name, to: "High Street")
        street.update(\.number, to: 1)
        street.detach()
        street.update(\.number, to: 2)
        #expect(builder.partial.street?.number == 1)
        #expect(street.partial.number == 2)
    }

    @Test func `values are read and set by members, subscripts and methods`() throws {
        let builder = PartialBuilder<Customer>()
        builder.name = "Ada"
        builder.age = nil
        #expect(builder.name == "Ada")
        #expect(try builder.value(for: \.age) == nil)
        #expect(throws: PartialError<Customer>.keyPathNotSet(\.street)) {
            try builder.value(for: \.street)
        }
        #expect(throws: PartialError<Customer>.keyPathNotSet(\.street)) {
            try builder.value(for: \.street, \.name)
        }
        builder[\.street] = Street(name: "High Street", number: 1)
        #expect(try builder.value(for: \.street, \.number) == 1)
        builder[\.age] = 3
        builder.age? += 1
        #expect(builder[\.age] == 4)
        builder.setValue("Bob", for: \.name)
        builder.setValue(nil, for: \.age)
        #expect(builder.partial.name == "Bob")
        #expect(builder.partial.contains(\.age))
        builder.name = nil
        #expect(!builder.partial.contains(\.name))
        #expect(builder.removeValue(for: \.age) == .some(nil))
        #expect(builder.removeValue(for: \.age) == nil)
        #expect(builder.removeValue(for: \.street)?.number == 1)
        #expect(builder.partial.keyPaths.isEmpty)
    }

    @Test func `listeners are told of what is set by a member, and once of what is removed`() {
        let seen = Collector<[String?]>()
        let builder = PartialBuilder<Customer>()
        builder.subscribeForChanges(to: \.name) { old, new in seen.add([old, new]) }
        builder.name = "Ada"
        builder[\.name] = "Bob"
        builder.setValue("Cid", for: \.name)
        builder.removeValue(for: \.name)
        builder.removeValue(for: \.name)
        #expect(seen.values == [[nil, "Ada"], ["Ada", "Bob"], ["Bob", "Cid"], ["Cid", nil]])
    }

    @Test func `a builder is unwrapped once its values are there`() throws {
        let builder = PartialBuilder<Street>()
        builder.name = "High Street"
        #expect(throws: PartialError<Street>.keyPathNotSet(\.number)) { try builder.unwrapped() }
        builder.number = 1
        #expect(try builder.unwrapped() == Street(name: "High Street", number: 1))
    }

    @Test func `a value that is removed during a removal is returned by one of the two`() {
        let builder = PartialBuilder<Customer>()
        let isArmed = Collector<Bool>()
        let removed = Collector<Int?>()
        @Sendable func remove(_ slot: Slot) { removed.add(builder.removeValue(for: \.[slot])) }
        let slot = Slot(number: 1) {
            guard isArmed.values == [true] else { return }
            isArmed.add(false)
            remove(Slot(number: 1) {})
        }
        builder.setValue(7, for: \.[slot])
        isArmed.add(true)
        remove(slot)
        #expect(removed.values == [7, nil])
    }

    @Test func `a change that is made during another is not lost, and no lock is held`() {
        let builder = PartialBuilder<Customer>()
        let names = Collector<String>()
        let slot = Slot(number: 1) {
            guard names.values.isEmpty else { return }
            names.add("Ada")
            builder.update(\.name, to: "Ada")
        }
        builder.update(\.[slot], to: 7)
        #expect(names.values == ["Ada"])
        #expect(builder.partial.name == "Ada")
        #expect(builder.partial[\.[slot]] == 7)
    }

    @Test func `changes of four tasks are all told, each from the value before it`() async {
        let seen = Collector<[Int?]>()
        let builder = PartialBuilder<Customer>()
        builder.subscribeForChanges(to: \.age) { old, new in seen.add([old, new]) }
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for index in 0..<250 { builder.update(\.age, to: task * 250 + index) }
                }
            }
        }
        let values = seen.values
        #expect(values.count == 1000)
        #expect(Set(values.map { $0[1] }).count == 1000)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0[1] == $1[0] })
        #expect(values.last?[1] == builder.partial.age)
    }
}
