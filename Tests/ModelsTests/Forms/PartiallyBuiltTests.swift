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

    @Test func `PartiallyBuilt is there once its values are`() {
        let form = Form()
        #expect(form.address == nil)
        form.$address.update(\.street, to: "High Street")
        #expect(form.address == nil)
        form.$address.update(\.town, to: "Leeds")
        #expect(form.address?.town == "Leeds")
    }
}
