import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// Files about the Congress of the United States, which are in the public domain: those of the
/// repository, or all of them in the folder that MODELKIT_CONGRESS names.
@Suite struct CongressTests {
    let map = IdentityMap()
    let members: [Legislator]
    let committees: [Committee]

    init() throws {
        (members, committees) = try map.use { () throws -> ([Legislator], [Committee]) in
            // The same members are in three files.
            let members = try [Legislator](json: Self.file("legislators-current"))
            for name in ["legislators-district-offices", "legislators-social-media"] {
                _ = try [Legislator](json: Self.file(name))
            }
            return (members, try [Committee](json: Self.file("committees-current")))
        }
        let lists = try Self.dictionary("committee-membership-current")
        for (identifier, seats) in lists.sorted(by: { $0.key < $1.key }) {
            try map.use { try body(identifier).read(dictionaryValue: ["seats": seats]) }
        }
    }

    static func file(_ name: String) throws -> Data {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder =
            ProcessInfo.processInfo.environment["MODELKIT_CONGRESS"]
            .map { URL(fileURLWithPath: $0) } ?? tests.appending(path: "Data/congress")
        return try Data(contentsOf: folder.appending(path: "\(name).json"))
    }

    static func dictionary(_ name: String) throws -> AttributeDictionary {
        guard case .dictionary(let dictionary) = try AttributeValue(json: file(name)) else {
            throw Issue(message: "is no dictionary")
        }
        return dictionary
    }

    /// The committee, or the subcommittee by its own number after that of its committee.
    private func body(_ identifier: String) throws -> any Model {
        if let committee = map.model(Committee.self, identifier: identifier) { return committee }
        let parent = map.model(Committee.self, identifier: String(identifier.prefix(4)))
        let number = String(identifier.dropFirst(4))
        let list = try #require(parent?.subcommittees.value)
        if let known = list.first(where: { $0.number.value == number }) { return known }
        // There are lists of subcommittees that the other file does not have.
        let made = Subcommittee()
        made.number.value = number
        parent?.subcommittees.append(made)
        return made
    }

    private func fields(of model: any Model, except excluded: [AnyField]) -> [AnyField] {
        Mirror(reflecting: model).children.compactMap { $0.value as? AnyField }
            .filter { field in !excluded.contains { $0 === field } }
    }

    /// A value as the files have it: they leave out what is empty.
    private static func trimmed(_ value: AttributeValue) -> AttributeValue {
        switch value {
        case .array(let elements): .array(elements.map(trimmed))
        case .dictionary(let dictionary):
            .dictionary(dictionary.filter { $0.value != [] }.mapValues(trimmed))
        default: value
        }
    }

    private static func trimmed(_ dictionary: AttributeDictionary) -> AttributeDictionary {
        dictionary.filter { $0.value != [] }.mapValues(trimmed)
    }

    private func writtenMembers() -> AttributeValue {
        let written = members.map { member in
            let others = [member.offices, member.seats, member.social]
            return member.dictionaryValue(fields: fields(of: member, except: others))
        }
        return Self.trimmed(.array(written.map { .dictionary($0) }))
    }

    @Test func `what was read of members is written again without loss`() throws {
        let file = try AttributeValue(json: Self.file("legislators-current"))
        try expect(AttributeValue(json: writtenMembers().jsonData()), equals: file)
    }

    @Test
    func `offices and names in networks are those of the members, and are written as they were`()
        throws
    {
        for name in Self.partNames {
            for (written, entry) in try writtenParts(name) {
                expect(written, equals: .dictionary(entry))
            }
        }
        expect(
            members.allSatisfy { member in
                (member.offices.value ?? []).allSatisfy { $0.member.value === member }
            }
        )
    }

    private static let partNames = ["legislators-district-offices", "legislators-social-media"]

    /// What is written of each entry of a file about some members, and the entry.
    private func writtenParts(
        _ name: String
    ) throws -> [(written: AttributeValue, entry: AttributeDictionary)] {
        guard case .array(let entries) = try AttributeValue(json: Self.file(name)) else {
            throw Issue(message: "is no array")
        }
        return try entries.map { value in
            guard case .dictionary(let entry) = value else { throw Issue(message: "is no entry") }
            let member = try Legislator.make(of: entry)
            let known = map.model(Legislator.self, identifier: try #require(member.identifier))
            let same = try #require(known)
            // The name in the file may be another than the one that was given later.
            let fields = [
                same.bioguide, same.thomas, same.govtrack,
                name.hasSuffix("media") ? same.social : same.offices,
            ]
            var written = same.dictionaryValue(fields: fields, in: .files)
            for key in ["thomas", "govtrack"] where !Self.has(key, entry) {
                written = Self.without(key, written)
            }
            return (.dictionary(Self.trimmed(written)), entry)
        }
    }

    private static func has(_ key: String, _ entry: AttributeDictionary) -> Bool {
        if case .dictionary(let id) = entry["id"] { id[key] != nil } else { false }
    }

    private static func without(_ key: String, _ entry: AttributeDictionary) -> AttributeDictionary
    {
        guard case .dictionary(var id) = entry["id"] else { return entry }
        id[key] = nil
        var entry = entry
        entry["id"] = .dictionary(id)
        return entry
    }

    @Test func `committees, their parts and who sits there are written as they were`() throws {
        let (committees, lists) = try writtenCommittees()
        expect(committees, equals: (try AttributeValue(json: Self.file("committees-current"))))
        expect(lists, equals: (try Self.dictionary("committee-membership-current")))
    }

    /// What is written of committees, and of the lists of who sits there.
    private func writtenCommittees() throws -> (AttributeValue, lists: AttributeDictionary) {
        let known = try Self.dictionary("committee-membership-current")
        var lists: AttributeDictionary = [:]
        func note(_ seats: ArrayField<Seat>, of identifier: String) {
            if seats.isEmpty, known[identifier] == nil { return }
            lists[identifier] = .array(
                (seats.value ?? []).map { .dictionary($0.dictionaryValue(in: .files)) }
            )
        }
        var written: [AttributeValue] = []
        for committee in committees {
            let identifier = try #require(committee.id.value)
            note(committee.seats, of: identifier)
            for part in committee.subcommittees.value ?? [] {
                note(part.seats, of: identifier + (part.number.value ?? ""))
            }
            var dictionary = committee.dictionaryValue(
                fields: fields(of: committee, except: [committee.seats]),
                in: .files
            )
            guard case .array(let parts) = dictionary["subcommittees"] else {
                written.append(.dictionary(dictionary))
                continue
            }
            // Without their seats, and without those that only have some.
            let named = parts.compactMap { part -> AttributeValue? in
                guard case .dictionary(var part) = part, part["name"] != nil else { return nil }
                part["seats"] = nil
                return .dictionary(part)
            }
            dictionary["subcommittees"] = .array(named)
            written.append(.dictionary(dictionary))
        }
        return (Self.trimmed(.array(written)), lists)
    }

    /// `.ci/json-judge` asks another reader whether it finds there what the files have.
    @Test func `all that was read is written for another reader`() throws {
        let (committees, lists) = try writtenCommittees()
        var values: [String: AttributeValue] = [
            "legislators-current": writtenMembers(), "committees-current": committees,
            "committee-membership-current": .dictionary(lists),
            // The whole graph, with all that goes around in it.
            "graph": .array(members.dictionaryValues().map { .dictionary($0) }),
        ]
        for name in Self.partNames {
            values[name] = .array(try writtenParts(name).map(\.written))
        }
        var texts = try values.mapValues { value throws(ImportError) in try value.jsonData() }
        texts["graph-of-fields"] = try members.jsonData()
        expect(texts["graph-of-fields"], equals: texts["graph"])
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment["MODELKIT_CONGRESS_EXPORT"] else { return }
        for (name, text) in texts {
            try text.write(to: URL(fileURLWithPath: path).appending(path: "\(name).json"))
        }
    }

    @Test func `members know where they sit, and whoever leaves sits nowhere`() throws {
        let seats = members.flatMap { member in member.seats.value ?? [] }
        expect(!seats.isEmpty)
        for seat in seats {
            expect(seat.member.value?.bioguide.value != nil)
            expect((seat.committee.value == nil) != (seat.subcommittee.value == nil))
        }
        expect(members.allSatisfy { $0.validate() == .valid })
        let member = try #require(members.first { member in !member.seats.isEmpty })
        let offices = member.offices.value ?? []
        let seat = try #require(member.seats.value?.first)
        let copy = member.copy()
        expect(copy.terms.count, equals: member.terms.count)
        member.seats.value = []
        expect(seat.member.value, equals: nil)
        member.offices.value = []
        expect(offices.allSatisfy { $0.member.value == nil })
    }
}
