package import ModelKitEssentials

/// Whether the bytes are a date-time of RFC 3339: a full-date, `T` and a full-time.
///
/// The 60th second is there only at the end of a month of UTC.
package func isDateTime<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    // A year with a sign is no date-time of RFC 3339.
    guard let next = scanner.next, ByteSet.digits.contains(next) else { return false }
    return Timestamp.date(from: &scanner) != nil
}

/// The text form of a date and time, as RFC 3339 writes it, in UTC and to the microsecond.
///
/// Years that it has no form for, before 0000 and after 9999, have a sign and six digits, as
/// ECMAScript writes them.
package enum Timestamp {
    /// `2026-11-21T09:30:00Z`, with six decimals if the second is not whole; nil for a date beyond
    /// ±292 000 years.
    package static func text(of date: Date) -> String? {
        guard let microseconds = exactMicroseconds(of: date) else { return nil }
        let (second, fraction) = microseconds.quotientAndRemainder(flooringBy: 1_000_000)
        let (day, time) = second.quotientAndRemainder(flooringBy: 86_400)
        let (year, month, dayOfMonth) = civil(day)
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        var text =
            0...9999 ~= year ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
        text += "-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
        text += "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        if fraction != 0 { text += ".\(padded(fraction, 6))" }
        return text + "Z"
    }

    /// The date of a text with a time and a zone; nil when it is none.
    ///
    /// Decimals beyond the microsecond are cut off. A leap second, which is only at the end of a
    /// month in UTC, is the second after it.
    package static func date(from text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = ByteScanner(bytes)
            return date(from: &scanner)
        }
    }

    fileprivate static func date<Bytes>(from scanner: inout ByteScanner<Bytes>) -> Date? {
        let isBefore = scanner.skip("-")
        let isSigned = isBefore || scanner.skip("+")
        guard let (year, month, day) = scanner.day(yearDigits: isSigned ? 6 : 4),
            !isBefore || year > 0, scanner.skip("T") || scanner.skip("t"),
            let time = scanner.time(), scanner.isAtEnd
        else { return nil }
        let start = days(Int64(isBefore ? -year : year), Int64(month), Int64(day)) * 86_400
        let seconds = start + Int64(time.seconds)
        if time.isLeapSecond, seconds % 86_400 != 0 || civil(seconds / 86_400).day != 1 {
            return nil
        }
        let (microseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, isBeyond) = microseconds.addingReportingOverflow(Int64(time.microseconds))
        return isTooFar || isBeyond ? nil : Timestamp.date(microseconds: sum)
    }

    /// Microseconds since 1970, rounded to the nearest; nil for NaN and for dates beyond ±292 000
    /// years.
    package static func exactMicroseconds(of date: Date) -> Int64? {
        // Whole seconds apart, so that neither sum nor product is rounded.
        let since2001 = date.timeIntervalSinceReferenceDate
        let seconds = since2001.rounded(.down)
        guard let whole = Int64(exactly: seconds),
            case (let since1970, false) = whole.addingReportingOverflow(referenceSeconds),
            case (let scaled, false) = since1970.multipliedReportingOverflow(by: 1_000_000),
            case (let sum, false) = scaled.addingReportingOverflow(
                Int64(((since2001 - seconds) * 1_000_000).rounded())
            )
        else { return nil }
        return sum
    }

    /// The same, but the ends of the range for dates beyond it, and 0 for NaN.
    package static func microseconds(of date: Date) -> Int64 {
        if let microseconds = exactMicroseconds(of: date) { return microseconds }
        let since2001 = date.timeIntervalSinceReferenceDate
        return since2001.isNaN ? 0 : since2001 < 0 ? .min : .max
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
}

extension Int64 {
    fileprivate func quotientAndRemainder(flooringBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
