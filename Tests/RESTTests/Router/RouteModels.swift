import ModelKitFields
import ModelKitModels
import ModelKitREST

final class Region: Model {
    let id = Field<String>()
    let companies = ModelField<Company>(inverse: \.region)*
    init() { linkFields() }
}

final class Company: Model, HasOwnerField {
    let id = Field<Int>()
    let region = ModelField<Region>(foreignKey: true)
    let employees = ModelField<Employee>(inverse: \.company)*
    let formerEmployees = ModelField<Employee>()*
    var ownerField: ModelField<Region> { region }
    init() { linkFields() }
}

final class Employee: Model, HasOwnerField {
    let id = Field<Int>()
    let company = ModelField<Company>(foreignKey: true)
    let notes = ModelField<Note>()*
    var ownerField: ModelField<Company> { company }
    init() { linkFields() }
}

/// Its owner has no field for it.
final class Note: Model, HasOwnerField {
    let id = Field<String>()
    let slug = Field<String>()
    let author = ModelField<Employee>()
    var ownerField: ModelField<Employee> { author }
}

final class Person: Model {
    let id = Field<String>()
}

final class NewsItem: Model {
    let id = Field<Identifier>()
}

/// Its owner may be itself.
final class Folder: Model, HasOwnerField {
    let id = Field<String>()
    let parent = ModelField<Folder>(foreignKey: true)
    let folders = ModelField<Folder>(inverse: \.parent)*
    var ownerField: ModelField<Folder> { parent }
    init() { linkFields() }
}

/// Of which an owner has one.
final class Badge: Model, HasOwnerField {
    let id = Field<String>()
    let holder = ModelField<Holder>(key: ["held", "by"])
    let stickers = ModelField<Person>(key: ["on it", "Stickers"])*
    var ownerField: ModelField<Holder> { holder }
    init() { linkFields() }
}

final class Holder: Model {
    let id = Field<Int>()
    let badge = ModelField<Badge>(inverse: \.holder)
    init() { linkFields() }
}

func person(_ id: String?) -> Person {
    let person = Person()
    person.id.value = id
    return person
}

func company(_ id: Int?, _ region: String? = nil) -> Company {
    let company = Company()
    company.id.value = id
    if let region {
        company.region.value = Region()
        company.region.value?.id.value = region
    }
    return company
}

func employee(_ id: Int, of company: Company?) -> Employee {
    let employee = Employee()
    employee.id.value = id
    employee.company.value = company
    return employee
}
