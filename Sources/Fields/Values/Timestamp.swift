#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The text form of a date and time, as RFC 3339 writes it, in UTC and to the microsecond.
package enum Timestamp {
    /// `2026-11-21T09:30:00Z`, with six decimals if the second is not whole.
    package static func text(of date: Date) -> String {
        let microseconds = microseconds(of: date)
        let (second, fraction) = microseconds.quotientAndRemainder(flooringBy: 1_000_000)
        let (day, time) = second.quotientAndRemainder(flooringBy: 86_400)
        let (year, month, dayOfMonth) = civil(day)
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(abs(number))
            return (number < 0 ? "-" : "")
                + String(repeating: "0", count: max(0, width - digits.count))
                + digits
        }
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
        text += "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        if fraction != 0 { text += ".\(padded(fraction, 6))" }
        return text + "Z"
    }

    /// The date of a text with a time and a zone; nil when it is none.
    ///
    /// Decimals beyond the microsecond are cut off.
    package static func date(from text: String) -> Date? {
        var scanner = Scanner(text.utf8[...])
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2),
            scanner.take("-"), let day = scanner.number(2), scanner.take("T") || scanner.take("t"),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2),
            scanner.take(":"), let second = scanner.number(2),
            (1...12).contains(month), day >= 1, day <= lastDay(of: month, in: year),
            hour < 24, minute < 60, second < 61
        else { return nil }
        var fraction: Int64 = 0
        if scanner.take(".") {
            guard let decimals = scanner.decimals() else { return nil }
            fraction = decimals
        }
        var offset: Int64 = 0
        if !scanner.take("Z"), !scanner.take("z") {
            let isBehind = scanner.take("-")
            guard isBehind || scanner.take("+"), let hours = scanner.number(2), scanner.take(":"),
                let minutes = scanner.number(2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
        }
        guard scanner.isAtEnd else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Timestamp.date(microseconds: seconds * 1_000_000 + fraction)
    }

    /// Microseconds since 1970, rounded to the nearest; the ends of the range for dates beyond it.
    package static func microseconds(of date: Date) -> Int64 {
        // Whole seconds apart, so that neither sum nor product is rounded.
        let since2001 = date.timeIntervalSinceReferenceDate
        let seconds = since2001.rounded(.down)
        // About 290 000 years either way; the text form ends before.
        guard seconds.magnitude < 9.2e12 else {
            return seconds.isNaN
                ? 0 : seconds < 0 ? -9_200_000_000_000_000_000 : 9_200_000_000_000_000_000
        }
        let rest = Int64(((since2001 - seconds) * 1_000_000).rounded())
        return (Int64(seconds) + referenceSeconds) * 1_000_000 + rest
    }

    package static func date(microseconds: Int64) -> Date {
        let (seconds, rest) = microseconds.quotientAndRemainder(flooringBy: 1_000_000)
        return Date(
            timeIntervalSinceReferenceDate: Double(seconds - referenceSeconds)
                + Double(rest) / 1_000_000
        )
    }

    /// 2001-01-01 UTC in seconds since 1970.
    private static let referenceSeconds: Int64 = 978_307_200

    package static func lastDay(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // Days since 1970 and back, in the Gregorian calendar: years are counted from March, so that the
    // leap day is the last of one, in eras of 400 years.

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = year.quotientAndRemainder(flooringBy: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(flooringBy: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private struct Scanner {
        var rest: Substring.UTF8View

        init(_ text: Substring.UTF8View) { rest = text }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard let byte = rest.first, UInt32(byte) == character.value else { return false }
            rest.removeFirst()
            return true
        }

        mutating func digit() -> Int64? {
            guard let byte = rest.first, (48...57).contains(byte) else { return nil }
            rest.removeFirst()
            return Int64(byte - 48)
        }

        mutating func number(_ digits: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// The decimals, as microseconds; nil when there is none.
        mutating func decimals() -> Int64? {
            guard var number = digit() else { return nil }
            var count = 1
            while let digit = digit() {
                if count < 6 {
                    number = number * 10 + digit
                    count += 1
                }
            }
            while count < 6 {
                number *= 10
                count += 1
            }
            return number
        }
    }
}

extension Int64 {
    fileprivate func quotientAndRemainder(flooringBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
