import ModelKitModels
import Testing

private struct Address: PartialInitializable, Equatable, Sendable {
    var street: String
    var town: String

    init(from partial: Partial<Address>) throws {
        street = try partial.value(for: \.street)
        town = try partial.value(for: \.town)
    }
}

private struct Visitor: PartialInitializable, Sendable {
    var address: Address

    init(from partial: Partial<Visitor>) throws {
        address = try partial.value(for: \.address)
    }
}

/// What can be made of partials: of properties, and of properties of properties.
@Suite struct PartiallyBuiltTests {
    private struct Form {
        @PartiallyBuilt<Address>() var address: Address?
    }

    private func partial(town: String?) -> Partial<Address> {
        var partial = Partial<Address>()
        partial.street = "High Street"
        partial.update(\.town, to: town)
        return partial
    }

    @Test func `unwrapped makes the value, or throws keyPathNotSet`() throws {
        #expect(try partial(town: "Leeds").unwrapped().town == "Leeds")
        #expect(throws: PartialError<Address>.keyPathNotSet(\.town)) {
            try partial(town: nil).unwrapped()
        }
    }

    @Test func `setValue takes a partial of the property, with an unwrapper or without`() throws {
        var visitor = Partial<Visitor>()
        #expect(throws: PartialError<Address>.keyPathNotSet(\.town)) {
            try visitor.setValue(partial(town: nil), for: \.address)
        }
        #expect(!visitor.contains(\.address))
        try visitor.setValue(partial(town: "Leeds"), for: \.address)
        #expect(visitor.address?.town == "Leeds")
        try visitor.setValue(partial(town: nil), for: \.address) { partial in
            var partial = partial
            partial.town = "York"
            return try partial.unwrapped()
        }
        #expect(try visitor.unwrapped().address.town == "York")
    }

    private struct Started {
        @PartiallyBuilt<Address> var address: Address?
        @PartiallyBuilt<Address> var shared: Address?

        init(_ partial: Partial<Address>, _ builder: PartialBuilder<Address>) {
            _address = PartiallyBuilt(partial: partial)
            _shared = PartiallyBuilt(builder: builder)
        }
    }

    @Test func `PartiallyBuilt starts with a partial, or shares a builder`() {
        let builder = PartialBuilder(partial(town: nil))
        let started = Started(partial(town: "Leeds"), builder)
        #expect(started.address?.town == "Leeds")
        #expect(started.shared == nil)
        builder.town = "York"
        #expect(started.shared?.town == "York")
        #expect(started.$shared === builder)
        #expect(started.address?.town == "Leeds")
    }

    @Test func `setValue sets a value as it is, nil of an optional property too`() throws {
        struct Note { let text: String, more: String? }
        var note = Partial<Note>()
        note.setValue("a", for: \.text)
        note.setValue(nil, for: \.more)
        #expect(try note.value(for: \.text) == "a")
        #expect(try note.value(for: \.more) == nil)
        note.setValue("b", for: \.more)
        #expect(note.more == "b")
    }

    @Test func `PartiallyBuilt is there once its values are`() {
        let form = Form()
        #expect(form.address == nil)
        form.$address.update(\.street, to: "High Street")
        #expect(form.address == nil)
        form.$address.update(\.town, to: "Leeds")
        #expect(form.address?.town == "Leeds")
    }
}
