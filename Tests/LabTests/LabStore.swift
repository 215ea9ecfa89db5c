import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores

final class Company: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let city = Field<String>()
    /// The server makes these two.
    let slug = Field<String>()
    let createdAt = Field<Date>()
    let employees = ModelField<Employee>(inverse: \.company)*

    init() { linkFields() }

    convenience init(_ name: String, city: String? = nil) {
        self.init()
        self.name.value = name
        self.city.value = city
    }
}

/// It has no rules, so that the server's are what is found.
final class Employee: Model, HasOwnerField {
    let id = Field<Int>()
    let company = ModelField<Company>(foreignKey: true)
    let fullName = Field<String>()
    let age = Field<Int>()
    let email = Field<String>()
    var ownerField: ModelField<Company> { company }

    init() { linkFields() }

    convenience init(_ name: String, of company: Company? = nil) {
        self.init()
        fullName.value = name
        self.company.value = company
    }
}

final class Tag: Model {
    let id = Field<String>()
    let note = Field<String>()

    init() {}

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

/// The application, somewhere.
final class LabStore: RemoteModelStore {
    let origin: String
    let session = StoreSession()
    let transport: any HTTPTransport
    let limits: HTTPLimits
    let dialect: RESTDialect
    let defaultHeaders: HTTPHeaders
    let valueTransformerContext = ValueTransformerContext(name: "lab", keyCase: .snake)
    let failures = Failures()

    var router: RESTRouter {
        var router = RESTRouter()
        router.hasTrailingSlash = true
        return router
    }

    init(
        _ run: Run,
        _ origin: String = Lab.nginx,
        over transport: any HTTPTransport = URLSessionTransport(),
        pagination: RESTPagination = .next(size: "page_size"),
        fault: String? = nil,
        limits: HTTPLimits? = nil
    ) {
        self.origin = origin
        self.transport = transport
        self.limits = limits ?? run.limits
        var dialect = RESTDialect.djangoREST
        dialect.pagination = pagination
        self.dialect = dialect
        var headers: HTTPHeaders = ["X-Run": run.name]
        headers["X-Fault"] = fault
        defaultHeaders = headers
    }

    func handleError(_ error: StoreError, of request: HTTPRequest?) { failures.add(error) }
}

/// The failures that were reported to a store.
// Safe: the variable is guarded by the lock.
final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var errors: [StoreError] = []

    func add(_ error: StoreError) { lock.withLock { errors.append(error) } }
    var all: [StoreError] { lock.withLock { errors } }
}

extension Promise {
    /// What it fails with, if that is an error of stores.
    nonisolated(nonsending) var storeError: StoreError? {
        get async {
            do { _ = try await value } catch { return error as? StoreError }
            return nil
        }
    }
}
