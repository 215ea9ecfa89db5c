import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// What a form knows while others set and validate its fields.
@Suite struct FormStateTests {
    final class Trip: Model {
        let start = Field<Int>()
        let end = Field<Int>()
        let price = Field<Int>()

        func check(_ report: inout ModelReport) {
            report.require(end, "must not be before the start") {
                guard let start = start.value, let end = end.value else { return true }
                return start <= end
            }
            report.require("is too dear") { price.value ?? 0 < 100 }
        }
    }

    @Test
    func `fields that are valid by themselves do not make a model valid that was not checked`() {
        let trip = Trip()
        let form = Form().add(trip)
        trip.start.observeValidationState { _ in }
        trip.end.observeValidationState { _ in }
        trip.price.observeValidationState { _ in }
        (trip.start.value, trip.end.value) = (5, 1)
        expect(form.state, equals: .unknown)
        expect(form.validate(), equals: .invalid(["end must not be before the start"]))
        trip.end.value = 2
        expect(form.state, equals: .unknown)
        trip.end.value = 6
        trip.price.value = 100
        expect(form.validate(), equals: .invalid(["is too dear"]))
        trip.price.value = 99
        expect(form.state, equals: .unknown)
        expect(form.validate(), equals: .valid)
        expect(form.state, equals: .valid)
    }

    @Test func `a model without a check is as valid as its fields`() {
        let customer = Customer()
        let form = Form().add(customer)
        customer.name.observeValidationState { _ in }
        customer.name.value = "Ann"
        expect(form.state, equals: .valid)
    }

    final class Customer: Model {
        let name = Field<String>().require(.notBlank)
    }

    final class Order: Model {
        let customer = ModelField<Customer>().requireValid()
        let other = ModelField<Customer>()
    }

    @Test func `a form is unknown once a model inside is set that has to be valid`() {
        let order = Order()
        let customer = Customer()
        customer.name.value = "Ann"
        order.customer.value = customer
        order.other.value = Customer()
        let form = Form().add(order)
        expect(form.validate(), equals: .valid)
        customer.name.value = ""
        expect(form.state, equals: .unknown)
        expect(form.validate().isInvalid)
        customer.name.value = "Bob"
        expect(form.validate(), equals: .valid)
        order.other.value?.name.value = ""
        expect(form.state, equals: .valid)
    }

    final class Address: Model {
        let street = Field<String>()
    }

    final class Owner: Model {
        let address = ModelField<Address>()
    }

    final class Shop: Model {
        let owner = ModelField<Owner>()
    }

    private struct Refusal: IssuesError { let issues: [Issue] }

    @Test func `an answer about a model is not reported to another that came in its place`() async {
        let shop = Shop()
        shop.owner.value = Owner()
        shop.owner.value?.address.value = Address()
        let other = Address()
        let form = Form().add(shop)
        _ = try? await form.submit {
            shop.owner.value?.address.value = other
            throw Refusal(
                issues: [Issue(path: ["owner", "address", "street"], message: "is wrong")]
            )
        }
        expect(other.street.issues, equals: [])
        expect(form.issues.isEmpty)
    }

    @Test func `to discard forgets what was said of models inside`() {
        let shop = Shop()
        let owner = Owner()
        owner.address.value = Address()
        shop.owner.value = owner
        let form = Form().add(shop)
        form.apply([Issue(path: ["owner", "address", "street"], message: "is wrong")])
        expect(form.state.isInvalid)
        form.discard()
        expect(owner.address.value?.street.issues, equals: [])
        expect(owner.address.value?.street.validate(), equals: .valid)
    }

    final class Link: Model {
        let name = Field<String>().require(.notBlank)
        let next = ModelField<Link>().requireValid()
    }

    @Test func `a chain of models is validated to its end on any stack`() {
        func chain(_ length: Int) -> Link {
            let first = Link()
            var last = first
            last.name.value = "a"
            for _ in 1..<length {
                let next = Link()
                next.name.value = "a"
                last.next.value = next
                last = next
            }
            return first
        }
        let short = chain(100)
        expect(short.validate(), equals: .valid)
        let long = chain(3000)
        expect(long.validationIssues(), equals: [])
        // So that they are not released one inside the other.
        var links: [Link] = []
        for first in [short, long] {
            var next: Link? = first
            while let link = next {
                links.append(link)
                next = link.next.value
            }
        }
        for link in links { link.next.value = nil }
    }

    final class Line: Model {
        let number = Field<Int>()
    }

    final class Invoice: Model {
        let lines = (ModelField<Line>()*).require(
            Rule(issues: { lines in
                let numbers = (lines ?? []).map(\.number.value)
                return Set(numbers).count == numbers.count
                    ? [] : [Issue(code: "unique", path: [1, "number"], message: "is a duplicate")]
            })
        )
        let total = Field<Int>()

        func check(_ report: inout ModelReport) {
            let sum = (lines.value ?? []).reduce(0) { $0 + ($1.number.value ?? 0) }
            total.value = sum
            report.require("is too dear") { sum < 100 }
        }
    }

    @Test func `what an array's rule says of a field inside keeps a form from being submitted`()
        async
    {
        let invoice = Invoice()
        invoice.lines.value = [Line(), Line()]
        let form = Form().add(invoice)
        let error = await #expect(throws: FormError.self) {
            try await form.submit { Testing.Issue.record("the work began") }
        }
        expect(error?.issues.map(\.path), equals: [["lines", 1, "number"]])
        expect(form.firstInvalid?.field === invoice.lines.value?[1].number)
        invoice.lines.value?[1].number.value = 1
        expect(form.state, equals: .unknown)
        expect(form.validate(), equals: .valid)
    }

    @Test func `a check that sets what it computes counts all the same`() async throws {
        let invoice = Invoice()
        let line = Line()
        line.number.value = 100
        invoice.lines.value = [line]
        let form = Form().add(invoice)
        let error = await #expect(throws: FormError.self) {
            try await form.submit { Testing.Issue.record("the work began") }
        }
        expect(error?.issues.map(\.message), equals: ["is too dear"])
        line.number.value = 99
        try await form.submit {}
        expect(invoice.total.value, equals: 99)
        expect(
            Form().add(Line()).validate(),
            equals: .valid,
            "fields that were never set are validated"
        )
    }
}
