/// Whether the bytes are a full-time of RFC 3339: `hh:mm:ss`, perhaps a fraction, and `Z` or the
/// offset from UTC.
///
/// The 60th second is there only in the last minute of a day of UTC.
package func isFullTime<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    return scanner.skipFullTime() && scanner.isAtEnd
}

/// Whether the bytes are a date-time of RFC 3339: a full-date, `T` and a full-time.
package func isDateTime<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    guard scanner.day(yearDigits: 4) != nil, scanner.skip("T") || scanner.skip("t") else {
        return false
    }
    return scanner.skipFullTime() && scanner.isAtEnd
}

/// Whether the bytes are a duration by the grammar of RFC 3339, appendix A: `P3Y6M4DT12H30M5S`,
/// `P4W`.
///
/// Whole numbers, and no unit left out between two others.
package func isDuration<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    guard scanner.skip("P") else { return false }
    if scanner.skipAmounts(of: ["W"]) == 1 { return scanner.isAtEnd }
    let dates = scanner.skipAmounts(of: ["Y", "M", "D"])
    let amounts = scanner.skip("T") ? scanner.skipAmounts(of: ["H", "M", "S"]) : dates
    return amounts > 0 && scanner.isAtEnd
}

extension ByteScanner {
    fileprivate mutating func skipFullTime() -> Bool {
        guard let hour = number(ofDigits: 2), hour <= 23, skip(":"),
            let minute = number(ofDigits: 2), minute <= 59, skip(":"),
            let second = number(ofDigits: 2), second <= 60
        else { return false }
        if skip("."), skip(all: .digits) == 0 { return false }
        guard let offset = utcOffset() else { return false }
        let day = 24 * 60
        let utc = (hour * 60 + minute - offset + day) % day
        return second < 60 || utc == day - 1
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
            if skip(all: .digits) > 0, skip(unit) {
                count += 1
            } else {
                position = start
                if count > 0 { break }
            }
        }
        return count
    }
}
