import ModelKit

/// A member of the congress.
final class Person: Model {
    let bioguide = Field<String>(name: "Identifier", key: ["id", "bioguide"])
        .identifier()
        .require(.notBlank)
    let first = Field<String>(name: "First name", key: ["name", "first"]).require(.notBlank)
    let middle = Field<String>(name: "Middle name", key: ["name", "middle"])
    let last = Field<String>(name: "Last name", key: ["name", "last"]).require(.notBlank)
    let suffix = Field<String>(name: "Suffix", key: ["name", "suffix"])
    let nickname = Field<String>(name: "Nickname", key: ["name", "nickname"])
    let official = Field<String>(name: "Official name", key: ["name", "official_full"])
    let birthday = Field<Day>(name: "Birthday", key: ["bio", "birthday"])
    let gender = Field<Gender>(name: "Gender", key: ["bio", "gender"])
    let terms = ModelField<Term>(name: "Terms").requireValid()*

    enum Gender: String, AttributeConvertible {
        case female = "F"
        case male = "M"
    }

    /// The name, with the official one behind it where that is another.
    let fullName: Computed<String>

    init() {
        fullName = Computed { [official, first, middle, last, suffix] in
            let name = [first, middle, last, suffix].compactMap(\.value).joined(separator: " ")
            guard let official = official.value, official != name else { return name }
            return "\(name), officially \(official)"
        }
    }

    /// The term that is served now, or was served last.
    var currentTerm: Term? { terms.value?.last }
}

/// A time in office.
final class Term: Model {
    let type = Field<Chamber>(name: "Type").require(.required)
    let start = Field<Day>(name: "Start").require(.required)
    let end = Field<Day>(name: "End")
    let state = Field<String>(name: "State").require(.state)
    let party = Field<String>(name: "Party")
    let phone = Field<String>(name: "Phone").require(.phone)
    let url = Field<String>(name: "Web site").require(.url)

    enum Chamber: String, AttributeConvertible {
        case senator = "sen"
        case representative = "rep"
    }

    func check(_ report: inout ModelReport) {
        report.require(end, "must not be before the start") {
            guard let start = start.value, let end = end.value else { return true }
            return start <= end
        }
    }
}
