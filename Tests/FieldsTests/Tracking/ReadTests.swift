import Foundation
import ModelKitFields
import Observation
import TestSupport
import Testing

/// All that is made of a value counts as a read of it.
@Suite struct ReadTests {
    enum Read: String, CaseIterable, Codable, Sendable {
        case value, anyValue, description, validate, currentIssues, isCurrentlyValid, copy

        /// What it makes of the value, as a text.
        func callAsFunction(_ field: Field<String>) -> String {
            switch self {
            case .value: "\(field.value as Any)"
            case .anyValue: "\(field.anyValue as Any)"
            case .description: "\(field)"
            case .validate: "\(field.validate())"
            case .currentIssues: "\(field.currentIssues())"
            case .isCurrentlyValid: "\(field.isCurrentlyValid)"
            case .copy: "\(field.copy().anyValue as Any)"
            }
        }
    }

    @Test(arguments: Read.allCases)
    func `what is computed from it follows the value`(read: Read) {
        let field = Field<String>(value: "Ada").require { !$0.isEmpty }
        let text = Computed { read(field) }
        let before = text.value
        field.value = ""
        expect(text.value, equals: read(field))
        expect(text.value != before)
        let watched = Watched(text)
        field.value = "Ada"
        expect(watched.received.count, equals: 2)
        expect(watched.received.last, equals: before)
    }

    @Test(arguments: Read.allCases)
    func `the Observation module is notified of it`(read: Read) async {
        await #expect(processExitsWith: .success) { [read] in
            FieldTracking.enable()
            let field = Field<String>(value: "Ada").require { !$0.isEmpty }
            let notifications = Counter()
            withObservationTracking {
                _ = read(field)
            } onChange: {
                notifications.increment()
            }
            field.value = ""
            exit(notifications.value == 1 ? EXIT_SUCCESS : 1)
        }
    }
}
