import ModelKit
import Testing

@Suite struct WritingARule {
    @Test func `the examples of the article run`() throws {
        let even = Rule<Int>("must be even") { $0 % 2 == 0 }
        print(even.issues(for: 3).map(\.message))  // ["must be even"]
        print(even.issues(for: nil))  // []
        #expect(even.issues(for: 3).map(\.message) == ["must be even"])
        #expect(even.issues(for: nil) == [])

        let rating = Rule<Int>(
            "must be from 1 to 5",
            code: "rating",
            parameters: ["min": 1, "max": 5],
            constraint: .all([.minimum(1), .maximum(5)])
        ) { (1...5).contains($0) }
        #expect(rating.issues(for: 6).map(\.code) == ["rating"])

        let schedule = Rule<[Int]> { hours in
            let wrong = (hours ?? []).enumerated().filter { !(0..<24).contains($0.element) }
            return wrong.map { index, hour in
                Issue(code: "hour", path: [.index(index)], message: "must not be \(hour)")
            }
        }
        print(schedule.issues(for: [8, 25]).map(\.description))  // ["[1] must not be 25"]
        #expect(schedule.issues(for: [8, 25]).map(\.description) == ["[1] must not be 25"])

        let name: Rule<String> = .notBlank && .length(3...20) && !Rule.hasPrefix("admin")
        let nick = name.stopAtFirst
        let optionalEmail: Rule<String> = Rule("must be empty", \.isEmpty) || .email
        let password: Rule<String> = .minLength(8) && .minLength(12).severity(.warning)
        let title = Rule<String>.notBlank.message("needs a title").code("title")
        #expect(nick.issues(for: "administrator").map(\.code) == ["not"])
        #expect(nick.issues(for: "").map(\.code) == ["notBlank"])
        #expect(optionalEmail.issues(for: "") == [])
        #expect(password.issues(for: "12345678").map(\.severity) == [.warning])
        #expect(title.issues(for: nil).map(\.message) == ["needs a title"])

        let team = Rule<String>.notBlank.each().at(\Team.members, "members")
        print(team.issues(for: Team(members: ["Ada", ""])).map(\.description))
        // ["members[1] cannot be blank"]
        #expect(
            team.issues(for: Team(members: ["Ada", ""])).map(\.description)
                == ["members[1] cannot be blank"]
        )

        let zip = Field<String>(value: "4411").require(.postcode)
        print(zip.validate())  // invalid(["must have five digits"])
        #expect(zip.validate() == .invalid(["must have five digits"]))

        let pack = Field<Int>(value: 7).require(Divisible(divisor: 6))
        print(pack.validate())  // invalid(["must be divisible by 6"])
        #expect(pack.validate() == .invalid(["must be divisible by 6"]))

        let plate = try Rule<String>.pattern("^[A-Z]{1,3}-[A-Z]{1,2} [1-9][0-9]{0,3}$")
        print(plate.issues(for: "B-MK 2026"))  // []
        #expect(plate.issues(for: "B-MK 2026") == [])
        #expect(plate.issues(for: "b-mk 2026").map(\.code) == ["pattern"])
    }
}

private struct Team: Sendable {
    var members: [String]
}

extension Rule where Value == String {
    static var postcode: Rule { postcodeRule }
}
private let postcodeRule = Rule<String>("must have five digits", code: "postcode") {
    $0.utf8.count == 5 && $0.utf8.allSatisfy { (48...57).contains($0) }
}

struct Divisible: Validator {
    var divisor: Int
    var errorMessage: String { "must be divisible by \(divisor)" }
    func isValid(value: Int?) -> Bool { value.map { $0.isMultiple(of: divisor) } ?? true }
}
