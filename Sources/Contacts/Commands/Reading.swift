import Foundation
import ModelKit

/// A person or an office.
enum Contact {
    case person(Person)
    case office(Office)
}

/// The person or office with an identifier.
func find(_ store: any ModelStore, _ identifier: String) async throws -> Contact {
    do {
        return .person(try await store.lookup(Person.self, identifier: identifier).value)
    } catch StoreError.notFound {
        do {
            return .office(try await store.lookup(Office.self, identifier: identifier).value)
        } catch StoreError.notFound {
            throw Failure.unreadable("there is no person and no office \(identifier)")
        }
    }
}

/// Prints a line for each person.
func list(_ store: any ModelStore, state: String?, limit: Int?) async throws {
    // The state is that of the current term, which no column holds.
    var people = try await store.list(
        Person.self,
        orderBy: .ascending(\.last),
        .ascending(\.first),
        limit: state == nil ? limit : nil
    ).value
    if let state {
        people = people.filter { $0.currentTerm?.state.value == state }
        people = Array(people.prefix(limit ?? .max))
    }
    for person in people {
        let term = person.currentTerm
        let columns = [
            person.bioguide.value, term?.type.value?.rawValue, term?.state.value,
            person.fullName.value, term?.party.value.map { "(\($0))" },
        ]
        try Console.print(columns.compactMap { $0 }.joined(separator: "  "))
    }
}

/// Prints everything about a person or an office.
func show(_ store: any ModelStore, _ identifier: String) async throws {
    switch try await find(store, identifier) {
    case .person(let person):
        try printFields(of: person)
        for term in person.terms.value ?? [] { try Console.print("  \(summary(of: term))") }
        let offices = try await store.list(Office.self, where: \.person == identifier).value
        for office in offices { try Console.print("Office: \(office.id.value ?? "")") }
    case .office(let office): try printFields(of: office)
    }
}

private func printFields<M: Model>(of model: M) throws {
    let dictionary = model.dictionaryValue()
    for entry in M.schema.fields {
        let title = entry.title ?? entry.name
        switch dictionary[entry.key] {
        case nil, .null?: continue
        case .string(let text)?: try Console.print("\(title): \(text)")
        case .array(let elements)?: try Console.print("\(title): \(elements.count)")
        case let value?: try Console.print("\(title): \(value)")
        }
    }
}

private func summary(of term: Term) -> String {
    let dates = [term.start.value, term.end.value].map { $0?.description ?? "?" }
    let details = [
        term.type.value?.rawValue, term.state.value, term.party.value, term.phone.value,
        term.url.value,
    ]
    return dates.joined(separator: " to ") + "  "
        + details.compactMap { $0 }.joined(separator: "  ")
}

/// Writes the people or the offices as JSON, in the shape they were read in.
func export(_ store: any ModelStore, offices: Bool) async throws {
    var writer = ModelArrayWriter(in: withoutNulls, isPretty: true)
    if offices {
        // The persons in the order of their first offices, and some at a time.
        let persons = try await owners(in: store)
        for start in stride(from: 0, to: persons.count, by: 100) {
            let some = persons[start..<min(start + 100, persons.count)]
            let offices = try await store.list(Office.self, where: .isIn(\.person, Array(some)))
            let groups = Dictionary(grouping: offices, by: \.person.value)
            try Console.write(writer.write(some.map { OfficeGroup(of: $0, groups[$0] ?? []) }))
        }
    } else {
        for try await people in store.pages(of: Person.self) {
            try Console.write(writer.write(people))
        }
    }
    try Console.write(writer.finish() + Data("\n".utf8))
}

/// The persons who have offices, in the order in which their first ones were stored.
private func owners(in store: any ModelStore) async throws -> [String] {
    var (owners, known) = ([String](), Set<String>())
    for try await page in store.pages(of: Office.self) {
        owners += page.compactMap(\.person.value).filter { known.insert($0).inserted }
    }
    return owners
}

/// How records are written: without keys that stand for nothing.
private let withoutNulls = ValueTransformerContext(name: "export", explicitNull: false)

extension OfficeGroup {
    fileprivate convenience init(of person: String, _ offices: [Office]) {
        self.init()
        id.value = ["bioguide": .string(person)]
        self.offices.value = .array(
            offices.map {
                .dictionary($0.dictionaryValue(in: withoutNulls).filter { $0.key != "person" })
            }
        )
    }
}
