import Foundation
import ModelKitFields
import Synchronization
import TestSupport
import Testing

/// Errors of values that a rule distinguishes, although they are equal.
@Suite struct ValidatedErrorsTests {
    private struct Ticket: Equatable, Sendable {
        let id: Int
        var seats: Int
        static func == (one: Ticket, other: Ticket) -> Bool { one.id == other.id }
    }

    @Test func `the errors are those of this spelling of a text`() {
        @Validated([.ascii]) var letter: String? = "K"
        expect($letter.errors, equals: [])
        letter = "\u{212A}"
        expect($letter.errors.map(\.code), equals: ["ascii"])
        letter = "K"
        expect($letter.errors == [] && $letter.isValid)
        @Validated([.maxLength(5, in: .utf8)]) var name: String? = "caf\u{E9}"
        expect($name.errors, equals: [])
        name = "cafe\u{301}"
        expect($name.errors.map(\.code), equals: ["maxLength"])
        #expect(throws: ValidationError.self) { try $name.validate() }
    }

    private final class Cart: Sendable {
        let count = Mutex(0)
    }

    @Test func `they are those of an object that has changed and is set again`() {
        let cart = Cart()
        @Validated(Rule<Cart>("is empty") { $0.count.withLock { $0 } > 0 }) var basket: Cart? = cart
        // On this thread alone.
        nonisolated(unsafe) let validated = $basket
        let errors = Computed { validated.errors.map(\.message) }
        expect(errors.value, equals: ["is empty"])
        cart.count.withLock { $0 = 1 }
        basket = cart
        expect(errors.value, equals: [])
    }

    @Test func `they are those of this one of several values with an id`() {
        @Validated(Rule<Ticket>("has no seats") { $0.seats > 0 })
        var ticket: Ticket? = Ticket(id: 1, seats: 2)
        expect($ticket.errors, equals: [])
        ticket?.seats = 0
        expect($ticket.errors.map(\.message), equals: ["has no seats"])
    }

    @Test func `they are those of now`() {
        let clock = Mutex(Date(timeIntervalSince1970: 0))
        FieldClock.withCurrent(FieldClock { clock.withLock { $0 } }) {
            @Validated([.future]) var date: Date? = Date(timeIntervalSince1970: 10)
            expect($date.errors, equals: [])
            clock.withLock { $0 = Date(timeIntervalSince1970: 20) }
            expect($date.errors.map(\.code), equals: ["future"])
        }
    }

    @MainActor @Test func `everyone who observes is notified of an equal value`() async {
        let property = Validated(wrappedValue: "K", [Rule<String>.ascii])
        let (received, shown) = (Log<Int>(), Log<Int>())
        property.observe { received.add($0.count) }
        property.onMain.observe { shown.add($0.count) }
        var updates = property.updates.makeAsyncIterator()
        await expect(updates.next(isolation: MainActor.shared), equals: [])
        // Safe: it is read on this thread alone.
        nonisolated(unsafe) let shared = property
        let count = Computed { shared.errors.count }
        expect(count.value, equals: 0)
        property.wrappedValue = "\u{212A}"
        expect(received.entries, equals: [0, 1])
        expect(shown.entries, equals: [0, 1])
        expect(count.value, equals: 1)
        await expect(updates.next(isolation: MainActor.shared)?.map(\.code), equals: ["ascii"])
    }
}
