import ModelKit

extension Rule where Value == String {
    /// Two capital letters, as the postal service abbreviates states.
    static var state: Rule { Rules.state }

    static var phone: Rule { Rules.phone }

    static var zip: Rule { Rules.zip }
}

/// Made once: every instance of a model asks for its rules again.
private enum Rules {
    static let state = Rule<String>(
        "must be two capital letters, like OH",
        code: "state",
        constraint: .pattern("^[A-Z]{2}$")
    ) {
        $0.utf8.count == 2 && $0.utf8.allSatisfy { (65...90).contains($0) }
    }

    static let phone = Rule<String>(
        "must be a phone number like 202-224-3441",
        code: "phone",
        constraint: .pattern("^[0-9]{3}-[0-9]{3}-[0-9]{4}$")
    ) {
        $0.hasShape("000-000-0000")
    }

    static let zip = Rule<String>(
        "must be a ZIP code like 44114 or 44114-1234",
        code: "zip",
        constraint: .pattern("^[0-9]{5}(-[0-9]{4})?$")
    ) {
        $0.hasShape("00000") || $0.hasShape("00000-0000")
    }
}

extension Rule where Value == Double {
    /// Degrees north or east of zero, at most so many either way.
    static func coordinate(upTo limit: Double) -> Rule {
        let constraint = Constraint.all([
            .minimum(.double(-limit)), .maximum(.double(limit)),
        ])
        return Rule(constraint: constraint) { value in
            guard let value, !(abs(value) <= limit) else { return [] }
            return [
                Issue(
                    code: "coordinate",
                    message: "must be between -\(Int(limit)) and \(Int(limit)), not \(value)",
                    parameters: ["value": .double(value)]
                )
            ]
        }
    }
}

extension String {
    /// Whether it is like a pattern, in which a 0 stands for any digit.
    fileprivate func hasShape(_ pattern: StaticString) -> Bool {
        var text = self
        return pattern.withUTF8Buffer { pattern in
            text.withUTF8 { text in
                text.elementsEqual(pattern) { character, expected in
                    expected == 48 ? (48...57).contains(character) : character == expected
                }
            }
        }
    }
}
