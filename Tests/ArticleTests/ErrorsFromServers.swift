import Foundation
import ModelKit
import ModelKitREST
import Testing

@Suite struct ErrorsFromServers {
    final class Employee: Model {
        let id = Field<Int>()
        let fullName = Field<String>()

        convenience init(_ fullName: String) {
            self.init()
            self.fullName.value = fullName
        }
    }

    final class API: RemoteModelStore {
        let origin = "https://api.example.com"
        let session = StoreSession()
        let transport: any HTTPTransport
        let dialect = RESTDialect.djangoREST
        let valueTransformerContext = ValueTransformerContext(name: "api", keyCase: .snake)

        var limits: HTTPLimits { HTTPLimits(deadline: nil) }

        init(answering status: Int, _ body: String) {
            transport = MemoryTransport { _ in
                HTTPResponse(status: status, body: Data(body.utf8))
            }
        }
    }

    private func error<Value>(of promise: Promise<Value>) async throws -> StoreError {
        try #require(await #expect(throws: StoreError.self) { try await promise.value })
    }

    @Test func `the examples of the article run`() async throws {
        let api = API(answering: 400, #"{"full_name": ["Too long."], "non_field_errors": ["No."]}"#)
        let error = try await error(of: api.create(Employee("Ada")))
        print(error.issues.map { "\($0.path): \($0.message)" })
        #expect(error.issues.map(\.path.description) == ["fullName", ""])
        #expect(error.issues.map(\.message) == ["Too long.", "No."])

        let employee = Employee("Ada")
        do {
            try await api.create(employee)
        } catch StoreError.validation(let issues) {
            for issue in issues {
                employee.addError(at: issue.path, message: issue.message, code: issue.code)
            }
        }
        print(employee.fullName.validationState)  // invalid(["Too long."])
        #expect(employee.fullName.validationState == .invalid(["Too long."]))

        let proxy = API(answering: 502, "<html>Bad Gateway</html>")
        print(try await self.error(of: proxy.create(Employee("Ada"))).outcome)  // unknown
        #expect(try await self.error(of: proxy.create(Employee("Ada"))).outcome == .unknown)

        if error.outcome == .notApplied { print("try again") }  // try again
        #expect(error.outcome == .notApplied)
    }
}
