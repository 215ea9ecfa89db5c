import ModelKit

/// A day of the calendar, without a time: 1958-10-13.
struct Day: AttributeConvertible, Hashable, Comparable, CustomStringConvertible {
    let year: Int
    let month: Int
    let day: Int

    /// The day of a text as RFC 3339 writes a full date; nil when there is no such day.
    init?(_ text: String) {
        guard Rule<String>.date.issues(for: text).isEmpty else { return nil }
        // The rule has found digits and hyphens in their places.
        func number(_ places: Range<Int>) -> Int {
            text.utf8.dropFirst(places.lowerBound).prefix(places.count)
                .reduce(0) { $0 * 10 + Int($1) - 48 }
        }
        year = number(0..<4)
        month = number(5..<7)
        day = number(8..<10)
    }

    init(attributeValue: AttributeValue) throws(Issue) {
        guard case .string(let text) = attributeValue, let day = Day(text) else {
            throw Issue(
                code: "date",
                message: "must be a day like 1958-10-13, not \(attributeValue)"
            )
        }
        self = day
    }

    var attributeValue: AttributeValue { .string(description) }

    static var attributeKind: AttributeKind { .string }

    static func < (left: Day, right: Day) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
