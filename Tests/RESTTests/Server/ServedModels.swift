import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores

final class Team: Model {
    let id = Field<Int>()
    let title = Field<String>().require(.notBlank)
    let league = ModelField<League>(foreignKey: true)
    let players = ModelField<Player>(inverse: \.team)*
    let captains = ModelField<Player>(foreignKey: true)*
    init() { linkFields() }
}

final class League: Model {
    let id = Field<String>()
    let country = Field<String>()
    let budget = Field<Double>()
}

final class Player: Model, HasOwnerField {
    let id = Field<String>()
    let fullName = Field<String>().require(.required)
    let jerseyNumber = Field<Int>().require("must be below 100") { $0 < 100 }
    let email = Field<String>().unique()
    let joinedAt = Field<Date>()
    let isActive = Field<Bool>(value: true)
    let weight = Field<Double>()
    let nickNames = Field<String>()*
    let anything = Field<AttributeValue>()
    let town = Field<String>(key: ["homeAddress", "town"])
    let bio = ModelField<PlayerBio>().requireValid()
    let pastBios = ModelField<PlayerBio>().requireValid()*
    let team = ModelField<Team>(foreignKey: true)
    var ownerField: ModelField<Team> { team }
    init() { linkFields() }

    func check(_ report: inout ModelReport) {
        report.require(jerseyNumber, "must not be 13") { jerseyNumber.value != 13 }
    }
}

final class PlayerBio: Model {
    let firstLine = Field<String>().require(.maxLength(5))
}

/// Of which each team has one.
final class Stadium: Model, HasOwnerField {
    let id = Field<String>()
    let seatCount = Field<Int>()
    let team = ModelField<Team>(foreignKey: true)
    var ownerField: ModelField<Team> { team }
}

/// Which is known by its slug.
final class Story: Model {
    let id = Field<Int>()
    let slug = Field<String>()
    let text = Field<String>()
}

class Beast: ModelObject, @unchecked Sendable {
    let id = Field<String>()
    let kind = Field<String>()
    override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
        dictionary["kind"] == "hound" ? Hound.self : self
    }
    override class var subclasses: [ModelObject.Type] { [Hound.self] }
}

final class Hound: Beast, @unchecked Sendable {
    let barkVolume = Field<Int>().require { $0 > 0 }
}

/// Which a handler cannot serve.
final class Annotated: Model {
    let id = Field<String>()
    let meta = Field<String>(key: "_meta")
}

final class Nameless: Model {
    let title = Field<String>()
}

/// Which refuses to be saved for a reason of its own.
final class Grumpy: Model {
    struct Refusal: Error {}
    let id = Field<String>()
    func beforeSave() throws { throw Refusal() }
}

/// A handler over a store in memory, and what it answers.
struct Serving: Sendable {
    let store: any RecordModelStore
    var handler: RESTHandler

    static var router: RESTRouter {
        var router = RESTRouter(maxPathDepth: 2)
        router.route(Stadium.self, toSingleton: "stadium")
        router.identify(Story.self, by: "slug")
        return router
    }

    static let snake = ValueTransformerContext(name: "api", keyCase: .snake)

    init(
        _ store: some RecordModelStore = MemoryModelStore(),
        router: RESTRouter = Serving.router,
        context: ValueTransformerContext = Serving.snake
    ) throws {
        self.store = store
        handler = try RESTHandler(
            store,
            [
                Team.self, League.self, Player.self, Stadium.self, Story.self, Beast.self,
                Hound.self, Grumpy.self,
            ],
            router: router,
            context: context
        )
    }

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        /// Null of an empty body.
        let body: AttributeValue

        subscript(name: String) -> AttributeValue? {
            if case .dictionary(let members) = body { members[name] } else { nil }
        }

        /// The pointers of a problem's issues.
        var pointers: [String] {
            guard case .array(let issues)? = self["issues"] else { return [] }
            return issues.compactMap {
                if case .dictionary(let members) = $0, case .string(let text)? = members["pointer"]
                {
                    text
                } else {
                    nil
                }
            }
        }

        var items: [AttributeDictionary] {
            guard case .array(let items)? = self["items"] else { return [] }
            return items.compactMap { if case .dictionary(let item) = $0 { item } else { nil } }
        }

        /// The identifiers of a list.
        var identifiers: [AttributeValue] { items.map { $0["id"] ?? .null } }
    }

    @discardableResult
    func ask(
        _ method: HTTPMethod,
        _ target: String,
        _ json: AttributeValue? = nil,
        _ headers: HTTPHeaders = [:]
    ) async throws -> Answer {
        let request = HTTPRequest(
            method,
            target,
            headers: headers,
            body: try json.map { try $0.jsonData() }
        )
        let response = await handler.handle(request)
        let body = response.body.isEmpty ? .null : try AttributeValue(json: response.body)
        return Answer(status: response.status, headers: response.headers, body: body)
    }
}
