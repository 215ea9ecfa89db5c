import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct DeletionTests {
    final class Order: Model {
        let id = Field<String>()
        let lines = ModelField<Line>(inverse: \.order, cascadeDelete: true)*
        let customer = ModelField<Customer>()
        init() { linkFields() }
    }

    final class Line: Model {
        let order = ModelField<Order>()
        let note = ModelField<Note>(cascadeDelete: true)
        init() { linkFields() }
    }

    final class Note: Model {
        let line = ModelField<Line>(cascadeDelete: true)
    }

    final class Customer: Model {
        let orders = ModelField<Order>(inverse: \.customer)*
        init() { linkFields() }
    }

    @Test func `a model takes with it what its fields say, and no other`() {
        let order = Order(), customer = Customer()
        let lines = [Line(), Line()]
        order.lines.value = lines
        order.customer.value = customer
        let note = Note()
        lines[1].note.value = note
        note.line.value = lines[1]
        let expected: [any Model] = [lines[0], lines[1], note]
        expect(
            order.cascade().map { ObjectIdentifier($0) },
            equals: expected.map { ObjectIdentifier($0) }
        )
        expect(customer.cascade().isEmpty)
        expect(note.cascade().count, equals: 1)
    }

    @Test func `others lose what is deleted, once each`() {
        let order = Order(), other = Order(), customer = Customer()
        let line = Line()
        order.lines.value = [line]
        customer.orders.value = [order, other]
        let received = Collector<Int>()
        customer.orders.observe(when: .changes) { orders in received.add(orders?.count ?? 0) }
        order.nullify()
        expect(customer.orders.value, equals: [other])
        expect(order.customer.value, equals: nil)
        expect(order.lines.value, equals: [line], "they are deleted together")
        expect(received.values, equals: [1])
    }

    @Test func `what was unloaded is deleted and taken out all the same`() {
        let order = Order(), customer = Customer(), line = Line()
        order.lines.value = [line]
        order.customer.value = customer
        order.unload()
        let received = Collector<Int>()
        customer.orders.observe(when: .changes) { orders in received.add(orders?.count ?? -1) }
        line.order.observe(when: .changes) { order in received.add(order == nil ? 1 : 2) }
        expect(order.cascade().map { ObjectIdentifier($0) }, equals: [ObjectIdentifier(line)])
        order.nullify()
        expect(received.values, equals: [0])
        expect(customer.orders.value, equals: [])
        expect(order.customer.value, equals: nil)
        expect(order.customer.loadState, equals: .notLoaded, "nothing was erased")
        expect(line.order.value, equals: order, "they are deleted together")
        order.unlink()
        expect(received.values, equals: [0, 1])
        expect(line.order.value, equals: nil)
        expect(order.dictionaryValue(), equals: [:])
    }

    @Test func `two sides that are unloaded have each other no more`() {
        let order = Order(), customer = Customer()
        order.customer.value = customer
        order.unload()
        customer.unload()
        customer.unlink()
        let other = Order()
        customer.orders.value = [other]
        expect(order.customer.value, equals: nil)
        expect(other.customer.value, equals: customer)
        order.customer.value = customer
        expect(customer.orders.value, equals: [other, order])
        customer.unlink()
    }

    @Test func `models of a cycle are deleted once`() {
        final class Ring: Model { let next = ModelField<Ring>(cascadeDelete: true) }
        let rings = (0..<5).map { _ in Ring() }
        for (index, ring) in rings.enumerated() { ring.next.value = rings[(index + 1) % 5] }
        expect(rings[0].cascade().count, equals: 4)
        rings[0].next.value = rings[0]
        expect(rings[0].cascade().isEmpty)
        for ring in rings { ring.next.value = nil }
    }

    @Test func `a long chain does not exhaust the stack`() {
        final class Link: Model { let next = ModelField<Link>(cascadeDelete: true) }
        let links = (0..<10_000).map { _ in Link() }
        for (left, right) in zip(links, links.dropFirst()) { left.next.value = right }
        expect(links[0].cascade().count, equals: 9_999)
        var count = 0
        links[0].visitAllFields { _ in count += 1 }
        expect(count, equals: 10_000)
        expect(links[0].isBlank)
        for link in links { link.next.value = nil }
    }
}
