import ModelKitREST
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct RetryAfterTests {
    /// 1994-11-06 08:49:37 UTC, the date of RFC 9110.
    let date = Date(timeIntervalSince1970: 784_111_777)

    private func wait(_ text: String, at date: Date) -> Duration? {
        HTTPResponse(status: 503, headers: ["Retry-After": text]).retryAfter(at: date)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "  Sun, 06 Nov 1994 08:49:37 GMT\t",
    ])
    func `a date is understood in each of its three forms`(text: String) {
        expect(wait(text, at: date.addingTimeInterval(-90)), equals: .seconds(90))
        expect(wait(text, at: date.addingTimeInterval(-0.5)), equals: .seconds(1))
        expect(wait(text, at: date), equals: .zero)
        expect(wait(text, at: date.addingTimeInterval(1_000)), equals: .zero)
    }

    @Test func `two digits are a year that is at most fifty years ahead`() {
        func year(_ now: TimeInterval, _ text: String) -> Duration? {
            wait(text, at: Date(timeIntervalSince1970: now))
        }
        // 2026-01-01: 94 is 1994, 27 is 2027, and 77 is 1977.
        expect(year(1_767_225_600, "Sunday, 06-Nov-94 08:49:37 GMT"), equals: .zero)
        expect(
            year(1_767_225_600, "Friday, 01-Jan-27 00:00:00 GMT"),
            equals: .seconds(365 * 86_400)
        )
        expect(year(1_767_225_600, "Friday, 01-Jan-77 00:00:00 GMT"), equals: .zero)
        // 2099-12-31: 05 is 2105.
        let hundred = year(4_102_358_400, "Thursday, 01-Jan-05 00:00:00 GMT")
        expect(hundred, equals: .seconds(1_827 * 86_400))
    }

    @Test func `seconds are a number, however large`() {
        expect(wait("0", at: date), equals: .zero)
        expect(wait("007", at: date), equals: .seconds(7))
        expect(wait(" 120 ", at: date), equals: .seconds(120))
        let century = Duration.seconds(100 * 366 * 86_400)
        expect(wait(String(repeating: "9", count: 500), at: date), equals: century)
        expect(wait("Sun, 06 Nov 9994 08:49:37 GMT", at: date), equals: century)
    }

    @Test(arguments: [
        "", " ", "-1", "1.5", "+1", "1,2", "120, 120", "soon", "٣", "0x10", "Infinity",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:01 GMT", "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Xyz, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday, -- 08:49:37 GMT",
        "Sun Nov 6 08:49:37", "Sun Nov 006 08:49:37 1994", "1994-11-06T08:49:37Z",
        "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
    ])
    func `what means nothing is as if it were not there`(text: String) {
        expect(wait(text, at: date), equals: nil)
    }

    @Test func `no field is no wait`() {
        expect(HTTPResponse(status: 503).retryAfter(), equals: nil)
    }
}
