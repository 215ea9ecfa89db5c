import ModelKit

/// A day of the calendar, without a time: 1958-10-13.
struct Day: AttributeConvertible, Hashable, Comparable, CustomStringConvertible {
    let year: Int
    let month: Int
    let day: Int

    /// The day of a text as RFC 3339 writes a full date; nil when there is no such day.
    init?(_ text: String) {
        guard Rule<String>.date.issues(for: text).isEmpty else { return nil }
        var text = text
        // The rule has found nothing but digits and two hyphens.
        let number = text.withUTF8 { $0.reduce(0) { $1 == 45 ? $0 : $0 * 10 + Int($1) - 48 } }
        (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
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

    var description: String {
        String(unsafeUninitializedCapacity: 10) { bytes in
            var rest = (year * 100 + month) * 100 + day
            for place in (0..<10).reversed() {
                let isHyphen = place == 4 || place == 7
                bytes[place] = isHyphen ? 45 : UInt8(48 + rest % 10)
                if !isHyphen { rest /= 10 }
            }
            return 10
        }
    }
}
