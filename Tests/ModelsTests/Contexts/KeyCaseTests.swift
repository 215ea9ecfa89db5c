import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct KeyCaseTests {
    /// A key, and what it is in snake, kebab, lower camel and upper camel case.
    static let keys: [(String, [String])] = [
        ("name", ["name", "name", "name", "Name"]),
        ("firstName", ["first_name", "first-name", "firstName", "FirstName"]),
        ("first_name", ["first_name", "first-name", "firstName", "FirstName"]),
        ("first-name", ["first_name", "first-name", "firstName", "FirstName"]),
        ("FIRST_NAME", ["first_name", "first-name", "firstName", "FirstName"]),
        ("ownerID", ["owner_id", "owner-id", "ownerID", "OwnerID"]),
        ("ownerId", ["owner_id", "owner-id", "ownerId", "OwnerId"]),
        ("HTTPServer", ["http_server", "http-server", "httpServer", "HTTPServer"]),
        (
            "myURLProperty",
            ["my_url_property", "my-url-property", "myURLProperty", "MyURLProperty"]
        ),
        ("userIDs", ["user_ids", "user-ids", "userIDs", "UserIDs"]),
        ("id", ["id", "id", "id", "Id"]),
        ("ID", ["id", "id", "id", "ID"]),
        ("aB", ["a_b", "a-b", "aB", "AB"]),
        ("line2Address", ["line2_address", "line2-address", "line2Address", "Line2Address"]),
        ("address2", ["address2", "address2", "address2", "Address2"]),
        ("_id", ["_id", "_id", "_id", "_Id"]),
        ("__private_", ["__private_", "__private_", "__private_", "__Private_"]),
        ("a__b", ["a_b", "a-b", "aB", "AB"]),
        ("@type", ["@type", "@type", "@type", "@type"]),
        ("straßeNr", ["straße_nr", "straße-nr", "straßeNr", "StraßeNr"]),
        ("éclairÉté", ["éclair_été", "éclair-été", "éclairÉté", "ÉclairÉté"]),
        ("ключСлово", ["ключ_слово", "ключ-слово", "ключСлово", "КлючСлово"]),
        ("名前", ["名前", "名前", "名前", "名前"]),
        ("", ["", "", "", ""]),
        ("_", ["_", "_", "_", "_"]),
    ]

    @Test(arguments: keys)
    func `keys are written in every case`(key: String, expected: [String]) {
        let cases: [KeyCase] = [.snake, .kebab, .lowerCamel, .upperCamel]
        expect(cases.map { $0.key(for: key) }, equals: expected)
    }

    @Test func `keys of one word are small or large`() {
        expect(KeyCase.lower.key(for: "firstName"), equals: "firstname")
        expect(KeyCase.upper.key(for: "firstName"), equals: "FIRSTNAME")
        expect(KeyCase.upperSnake.key(for: "firstName"), equals: "FIRST_NAME")
    }

    @Test(arguments: KeyCase.allCases)
    func `a key that is in a case stays as it is`(keyCase: KeyCase) {
        withSeed { random in
            for _ in 0..<2_000 {
                // In camel cases nothing shows where a word of digits began.
                let isCamel = keyCase == .lowerCamel || keyCase == .upperCamel
                let letters = Array(isCamel ? "aAbBsSzZ__-É" : "aAbBsSzZ09__-Éß@")
                let count = Int.random(in: 0...12, using: &random)
                let key = String(
                    (0..<count).compactMap { _ in letters.randomElement(using: &random) }
                )
                let once = keyCase.key(for: key)
                expect(keyCase.key(for: once), equals: once, "\(key)")
            }
        }
    }
}
