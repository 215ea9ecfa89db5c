import ModelKitFields
import ModelKitModels

/// A member of Congress, who is described by several files.
final class Legislator: Model {
    let bioguide = Field<String>(key: ["id", "bioguide"]).identifier()
    let thomas = Field<String>(key: ["id", "thomas"])
    let lis = Field<String>(key: ["id", "lis"])
    let govtrack = Field<Int>(key: ["id", "govtrack"])
    let opensecrets = Field<String>(key: ["id", "opensecrets"])
    let votesmart = Field<Int>(key: ["id", "votesmart"])
    let fec = ArrayField(Field<String>(), key: ["id", "fec"])
    let cspan = Field<Int>(key: ["id", "cspan"])
    let wikipedia = Field<String>(key: ["id", "wikipedia"])
    let houseHistory = Field<Int>(key: ["id", "house_history"])
    let ballotpedia = Field<String>(key: ["id", "ballotpedia"])
    let maplight = Field<Int>(key: ["id", "maplight"])
    let icpsr = Field<Int>(key: ["id", "icpsr"])
    let wikidata = Field<String>(key: ["id", "wikidata"])
    let googleEntityID = Field<String>(key: ["id", "google_entity_id"])
    let pictorial = Field<Int>(key: ["id", "pictorial"])
    let first = Field<String>(key: ["name", "first"])
    let middle = Field<String>(key: ["name", "middle"])
    let last = Field<String>(key: ["name", "last"]).require(.notBlank)
    let suffix = Field<String>(key: ["name", "suffix"])
    let nickname = Field<String>(key: ["name", "nickname"])
    let fullName = Field<String>(key: ["name", "official_full"])
    let birthday = Field<String>(key: ["bio", "birthday"]).require(.date)
    let gender = Field<String>(key: ["bio", "gender"]).require(.oneOf(["F", "M"]))
    let terms = ModelField<Service>().requireValid()*
    let roles = ArrayField(ModelField<Role>(), key: "leadership_roles")
    let family = ModelField<Relative>()*
    let offices = ModelField<DistrictOffice>(inverse: \.member, cascadeDelete: true)*
    let social = Field<AttributeDictionary>()
    let seats = ModelField<Seat>(inverse: \.member)*

    init() { linkFields() }
}

final class Service: Model {
    let type = Field<String>().require(.oneOf(["rep", "sen"]))
    let start = Field<String>().require(.date)
    let end = Field<String>().require(.date)
    let state = Field<String>()
    let district = Field<Int>()
    let `class` = Field<Int>()
    let party = Field<String>()
    let caucus = Field<String>()
    let affiliations = ArrayField(ModelField<Affiliation>(), key: "party_affiliations")
    let how = Field<String>()
    let endType = Field<String>(key: "end-type")
    let url = Field<String>()
    let address = Field<String>()
    let phone = Field<String>()
    let fax = Field<String>()
    let contactForm = Field<String>(key: "contact_form")
    let office = Field<String>()
    let stateRank = Field<String>(key: "state_rank")
    let rssURL = Field<String>(key: "rss_url")
}

final class Affiliation: Model {
    let start = Field<String>()
    let end = Field<String>()
    let party = Field<String>()
    let caucus = Field<String>()
}

final class Role: Model {
    let title = Field<String>()
    let chamber = Field<String>()
    let start = Field<String>()
    let end = Field<String>()
}

final class Relative: Model {
    let name = Field<String>()
    let relation = Field<String>()
}

final class DistrictOffice: Model {
    let id = Field<String>()
    let address = Field<String>()
    /// A text, or a number where it is one.
    let suite = Field<AttributeValue>()
    let building = Field<String>()
    let city = Field<String>()
    let state = Field<String>()
    let zip = Field<String>()
    let latitude = Field<Double>()
    let longitude = Field<Double>()
    let hours = Field<String>()
    let phone = Field<String>()
    let fax = Field<String>()
    let member = ModelField<Legislator>().transform(with: .omitted, in: .files)

    init() { linkFields() }
}

final class Committee: Model {
    let id = Field<String>(key: "thomas_id")
    let type = Field<String>()
    let name = Field<String>()
    let url = Field<String>()
    let minorityURL = Field<String>(key: "minority_url")
    let houseID = Field<String>(key: "house_committee_id")
    let senateID = Field<String>(key: "senate_committee_id")
    let address = Field<String>()
    let phone = Field<String>()
    let rssURL = Field<String>(key: "rss_url")
    let minorityRSSURL = Field<String>(key: "minority_rss_url")
    let jurisdiction = Field<String>()
    let jurisdictionSource = Field<String>(key: "jurisdiction_source")
    let youtube = Field<String>(key: "youtube_id")
    let wikipedia = Field<String>()
    let subcommittees = ModelField<Subcommittee>(inverse: \.parent)*
    let seats = ModelField<Seat>(inverse: \.committee)*

    init() { linkFields() }
}

/// Known by its number within the committee.
final class Subcommittee: Model {
    let number = Field<String>(key: "thomas_id")
    let name = Field<String>()
    let address = Field<String>()
    let phone = Field<String>()
    let wikipedia = Field<String>()
    let parent = ModelField<Committee>().transform(with: .omitted, in: .files)
    let seats = ModelField<Seat>(inverse: \.subcommittee)*

    init() { linkFields() }
}

/// The place of a member on a committee.
final class Seat: Model {
    let member = ModelField<Legislator>(key: "bioguide", foreignKey: true)
    let name = Field<String>()
    let party = Field<String>()
    let rank = Field<Int>()
    let title = Field<String>()
    let chamber = Field<String>()
    let committee = ModelField<Committee>().transform(with: .omitted, in: .files)
    let subcommittee = ModelField<Subcommittee>().transform(with: .omitted, in: .files)

    init() { linkFields() }
}

extension ValueTransformerContext {
    /// How the files are written: what nobody knows is not there, and nothing refers back.
    static let files = ValueTransformerContext(name: "files", explicitNull: false)
}

extension FieldTransformer where Value: Model {
    /// Writes nothing.
    fileprivate static var omitted: FieldTransformer {
        FieldTransformer(export: { _ in .null }) { _ throws(Issue) in
            throw Issue(code: "type", message: "is not read")
        }
    }
}
