import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Relations of classes that inherit from others.
@Suite struct SubclassRelationTests {
    class Party: ModelObject, @unchecked Sendable {
        let id = Field<String>()
        required init() {
            super.init()
            linkFields()
        }
    }

    final class Company: Party, @unchecked Sendable {
        let staff: ModelArrayField<Employee> = ModelField<Employee>(inverse: \.employer)*
        required init() {
            super.init()
            linkFields()
        }
    }

    final class Employee: Model {
        let employer = ModelField<Party>()
        init() { linkFields() }
    }

    @Test func `an inverse in a subclass of what the other side holds is reported, once`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let company = Company(), employee = Employee()
            employee.employer.value = company
            company.staff.append(Employee())
            _ = Company()
        }
        expect(
            messages.values.map(\.message),
            equals: [
                "Company.staff is the inverse of Employee.employer, which holds any Party, and that "
                    + "has no such field, so neither sets the other; declare staff in Party, or "
                    + "employer as a field of Company"
            ]
        )
        expect(messages.values.map(\.code), equals: [.modelDeclaration])
    }

    class Owner: ModelObject, @unchecked Sendable {
        let pets: ModelArrayField<Pet> = ModelField<Pet>(inverse: \.owner)*
        required init() {
            super.init()
            linkFields()
        }
    }

    final class Breeder: Owner, @unchecked Sendable {}

    final class Pet: Model {
        let owner = ModelField<Owner>()
        init() { linkFields() }
    }

    @Test func `an inverse that a subclass inherits works in both directions`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let breeder = Breeder(), pet = Pet(), other = Pet()
            pet.owner.value = breeder
            breeder.pets.append(other)
            expect(breeder.pets.value, equals: [pet, other])
            expect(other.owner.value === breeder)
            breeder.unlink()
        }
        expect(messages.values.isEmpty)
    }
}
