import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores

/// A model with a default value, a nested key and values that servers make.
final class Customer: Model {
    let id = Field<String>()
    let firstName = Field<String>()
    let age = Field<Int>()
    let isActive = Field<Bool>(value: true)
    let cityName = Field<String>(key: ["homeAddress", "cityName"])
    let createdAt = Field<Date>()
    let visitCount = Field<Int>()

    convenience init(_ id: String?, _ firstName: String? = nil, age: Int? = nil) {
        self.init()
        if let id { self.id.value = id }
        if let firstName { self.firstName.value = firstName }
        if let age { self.age.value = age }
    }
}

/// A model whose identifiers servers make.
final class Ticket: Model {
    let id = Field<Int>()
    let title = Field<String>()

    convenience init(_ title: String) {
        self.init()
        self.title.value = title
    }
}

/// A model with what parameters cannot say.
final class Tagged: Model {
    let id = Field<String>()
    let tags = Field<String>()*
}

final class Building: Model {
    let id = Field<String>()
    let floors = ModelField<Floor>(inverse: \.building)*
    init() { linkFields() }

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

final class Floor: Model, HasOwnerField {
    let id = Field<String>()
    let building = ModelField<Building>(foreignKey: true)
    let desks = ModelField<Desk>(inverse: \.floor)*
    var ownerField: ModelField<Building> { building }
    init() { linkFields() }

    convenience init(_ id: String, of building: Building?) {
        self.init()
        self.id.value = id
        if let building { self.building.value = building }
    }
}

final class Desk: Model, HasOwnerField {
    let id = Field<String>()
    let label = Field<String>()
    let floor = ModelField<Floor>(foreignKey: true)
    var ownerField: ModelField<Floor> { floor }
    init() { linkFields() }

    convenience init(_ id: String?, _ label: String? = nil, of floor: Floor?) {
        self.init()
        if let id { self.id.value = id }
        if let label { self.label.value = label }
        if let floor { self.floor.value = floor }
    }
}

/// A model in whose path another field may stand.
final class Album: Model {
    let id = Field<String>()
    let slug = Field<String>()
    let title = Field<String>()
    let tracks = ModelField<Track>(inverse: \.album)*
    init() { linkFields() }
}

final class Track: Model, HasOwnerField {
    let id = Field<String>()
    let title = Field<String>()
    let album = ModelField<Album>(foreignKey: true)
    var ownerField: ModelField<Album> { album }
    init() { linkFields() }

    convenience init(_ id: String, of album: Album) {
        self.init()
        self.id.value = id
        self.album.value = album
    }
}

/// A store whose parts a test gives.
final class TestAPI: RemoteModelStore {
    let origin: String
    let session: StoreSession
    let transport: any HTTPTransport
    let router: RESTRouter
    let valueTransformerContext: ValueTransformerContext
    let dialect: RESTDialect
    let maximumCount: Int
    let errors = Noted<StoreError>()
    var limits: HTTPLimits { HTTPLimits(deadline: nil) }

    init(
        _ transport: any HTTPTransport,
        _ dialect: RESTDialect = .plain,
        origin: String = example,
        router: RESTRouter = RESTRouter(maxPathDepth: 2),
        context: ValueTransformerContext = .default,
        maximumCount: Int = 10_000,
        events: StoreEvents? = nil
    ) {
        self.transport = transport
        self.dialect = dialect
        self.origin = origin
        self.router = router
        valueTransformerContext = context
        self.maximumCount = maximumCount
        session = StoreSession(events: events)
    }

    func handleError(_ error: StoreError, of request: HTTPRequest?) { errors.note(error) }
}

extension ClosureTransport {
    /// Gives one answer after the other.
    init(answers: [HTTPResponse]) {
        self.init { _, number in
            number <= answers.count
                ? .value(answers[number - 1])
                : .failed(HTTPFailure(.other("there is no answer"), mayBeSent: true))
        }
    }
}

extension HTTPResponse {
    /// An answer of JSON.
    static func json(
        _ text: String,
        _ status: Int = 200,
        _ headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        var headers = headers
        if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
        return HTTPResponse(status: status, headers: headers, body: Data(text.utf8))
    }
}

extension HTTPRequest {
    /// Method, target and body.
    var summary: String {
        let text = body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        return "\(method) \(target)\(text)"
    }
}

extension ClosureTransport {
    var summaries: [String] { sent.all.map(\.summary) }
}

extension Promise {
    /// What it fails with.
    nonisolated(nonsending) var storeError: StoreError? {
        get async {
            do { _ = try await value } catch { return error as? StoreError }
            return nil
        }
    }
}
