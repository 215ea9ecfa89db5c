/// Whether the bytes are a full-time of RFC 3339: `hh:mm:ss`, perhaps a fraction, and `Z` or the
/// offset from UTC.
///
/// The 60th second is there only in the last minute of a day of UTC.
package func isFullTime<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    return scanner.fullTime() != nil && scanner.isAtEnd
}

/// Whether the bytes are a date-time of RFC 3339: a full-date, `T` and a full-time.
///
/// The 60th second is there only at the end of a month of UTC, as in `Timestamp`.
package func isDateTime<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    guard let date = scanner.day(yearDigits: 4), scanner.skip("T") || scanner.skip("t"),
        let time = scanner.fullTime(), scanner.isAtEnd
    else { return false }
    return !time.isLeapSecond
        || Timestamp.isEndOfMonth(date.year, date.month, date.day, minute: time.minute)
}

/// Whether the bytes are a duration by the grammar of RFC 3339, appendix A: `P3Y6M4DT12H30M5S`,
/// `P4W`.
///
/// Whole numbers, no unit left out between two others, letters of either case.
package func isDuration<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    guard scanner.skip("P") || scanner.skip("p") else { return false }
    if scanner.skipAmounts(of: ["W"]) == 1 { return scanner.isAtEnd }
    let dates = scanner.skipAmounts(of: ["Y", "M", "D"])
    let amounts =
        scanner.skip("T") || scanner.skip("t") ? scanner.skipAmounts(of: ["H", "M", "S"]) : dates
    return amounts > 0 && scanner.isAtEnd
}

extension ByteScanner {
    /// Reads a time and its offset from UTC: the minute of UTC, counted from the start of the day
    /// as it is written, and whether it is the 60th second.
    fileprivate mutating func fullTime() -> (minute: Int, isLeapSecond: Bool)? {
        guard let hour = number(ofDigits: 2), hour <= 23, skip(":"),
            let minute = number(ofDigits: 2), minute <= 59, skip(":"),
            let second = number(ofDigits: 2), second <= 60
        else { return nil }
        if skip("."), skip(all: .digits) == 0 { return nil }
        guard let offset = utcOffset() else { return nil }
        let day = 24 * 60
        let utc = hour * 60 + minute - offset
        return second < 60 || (utc + day) % day == day - 1 ? (utc, second == 60) : nil
    }

    /// Reads `Z` or `+hh:mm`, and returns it in minutes.
    private mutating func utcOffset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hour = number(ofDigits: 2), hour <= 23, skip(":"),
            let minute = number(ofDigits: 2), minute <= 59
        else { return nil }
        let minutes = hour * 60 + minute
        return isNegative ? -minutes : minutes
    }

    /// Reads numbers, each with the unit that follows the one before, and counts them.
    fileprivate mutating func skipAmounts(of units: [Unicode.Scalar]) -> Int {
        var count = 0
        for unit in units {
            let start = position
            if skip(all: .digits) > 0, let next, UInt32(next & ~0x20) == unit.value {
                position += 1
                count += 1
            } else {
                position = start
                if count > 0 { break }
            }
        }
        return count
    }
}
