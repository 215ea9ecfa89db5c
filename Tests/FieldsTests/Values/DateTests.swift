import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct DateTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (1.5, "1970-01-01T00:00:01.500000Z"),
        (253_402_300_800, "+010000-01-01T00:00:00Z"), (9e12, "+287168-08-24T16:00:00Z"),
        (1e300, "a date that is too far away"), (-.infinity, "a date that is too far away"),
        (.nan, "a date that is too far away"),
    ])
    func `any date has a description`(seconds: Double, text: String) {
        let date = Date(timeIntervalSince1970: seconds)
        expect(AttributeValue.date(date).description, equals: text)
        expect(Field(value: date).description, equals: text)
    }

    @Test(arguments: [Double.nan, .infinity, -1e300])
    func `a date that no text can say is not encoded`(seconds: Double) {
        let date = AttributeValue.date(Date(timeIntervalSince1970: seconds))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([date]) }
    }
}
