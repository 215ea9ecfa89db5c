import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores

/// With which its lines are deleted.
final class Purchase: Model {
    let id = Field<Int>()
    let note = Field<String>()
    let lines = ModelField<PurchaseLine>(inverse: \.purchase, cascadeDelete: true)*
    init() { linkFields() }
}

final class PurchaseLine: Model {
    let id = Field<Int>()
    let amount = Field<Int>()
    let greeting = Field<String>()
    let purchase = ModelField<Purchase>(foreignKey: true)
    init() { linkFields() }
    func afterCreate() { greeting.value = "hello" }
}

final class Course: Model {
    let id = Field<Int>()
    let students = ModelField<Student>(inverse: \.courses)*
    init() { linkFields() }
}

/// Who is in several courses.
final class Student: Model {
    let id = Field<String>()
    let courses = ModelField<Course>(foreignKey: true)*
    init() { linkFields() }
}

/// Which refuses to be saved by issues of its own.
final class Picky: Model {
    let id = Field<String>()
    func beforeSave() throws {
        throw StoreError.validation([
            Issue(message: "is never good"), Issue(code: "id", path: ["id"], message: "neither"),
        ])
    }
}

/// With something secret, which is not served.
final class Secret: Model {
    let id = Field<String>()
    let code = Field<String>()
}

final class Locker: Model {
    let id = Field<String>()
    let secret = ModelField<Secret>(foreignKey: true)
}

extension Serving {
    /// A handler of types of its own.
    static func of(
        _ types: [any Model.Type],
        _ store: some RecordModelStore = MemoryModelStore()
    ) throws -> Serving {
        var serving = try Serving(store)
        serving.handler = try RESTHandler(
            store,
            types,
            router: RESTRouter(maxPathDepth: 2),
            context: snake
        )
        return serving
    }

    func filter(_ path: String, _ filter: String) async throws -> Answer {
        try await ask(
            .get,
            path + "?" + ParameterEncoder().encodeParameters(["filter": .string(filter)])
        )
    }
}

/// A value that cannot be read again.
struct Riddle: AttributeConvertible, Equatable {
    static let attributeKind = AttributeKind.string
    var attributeValue: AttributeValue { "?" }
    init() {}
    init(attributeValue: AttributeValue) throws(Issue) {
        throw Issue(code: "riddle", message: "is a riddle")
    }
}

/// A model that cannot be encoded.
final class Puzzle: Model {
    let id = Field<String>()
    let riddle = Field<Riddle>()
    func beforeSave() { riddle.value = Riddle() }
}
