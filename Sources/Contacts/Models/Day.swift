import ModelKit

/// A day of the calendar, without a time: 1958-10-13.
struct Day: AttributeConvertible, Hashable, Comparable, CustomStringConvertible {
    let year: Int
    let month: Int
    let day: Int

    /// The day of a text as RFC 3339 writes a full date; nil when there is no such day.
    init?(_ text: String) {
        guard Rule<String>.date.issues(for: text).isEmpty else { return nil }
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        (year, month, day) = (parts[0], parts[1], parts[2])
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
