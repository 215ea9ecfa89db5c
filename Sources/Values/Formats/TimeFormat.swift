/// Whether the bytes are a full-time of RFC 3339: `hh:mm:ss`, perhaps a fraction, and `Z` or the
/// offset from UTC.
///
/// The 60th second is there only in the last minute of a day of UTC.
package func isFullTime<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    guard let time = scanner.time(), scanner.isAtEnd else { return false }
    return !time.isLeapSecond || time.seconds % 86_400 == 0
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
    /// Reads a time and its offset from UTC: the seconds of UTC, counted from the start of the day as it is
    /// written, their decimals up to the microsecond, and whether the 60th second was written.
    mutating func time() -> (seconds: Int, microseconds: Int, isLeapSecond: Bool)? {
        guard let hour = number(ofDigits: 2), hour <= 23, skip(":"),
            let minute = number(ofDigits: 2), minute <= 59, skip(":"),
            let second = number(ofDigits: 2), second <= 60
        else { return nil }
        var microseconds = 0
        if skip(".") {
            let (decimals, count) = number(digits: 6)
            if count == 0 { return nil }
            skip(all: .digits)
            microseconds = (count..<6).reduce(decimals) { fraction, _ in fraction * 10 }
        }
        guard let offset = utcOffset() else { return nil }
        return ((hour * 60 + minute - offset) * 60 + second, microseconds, second == 60)
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
