/// Whether the bytes are a full-date of RFC 3339, `yyyy-MM-dd`: a day that the Gregorian calendar
/// has, extended to the years 0000 to 9999.
package func isFullDate<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    return scanner.day(yearDigits: 4) != nil && scanner.isAtEnd
}

extension ByteScanner {
    /// Reads a number of just so many digits.
    mutating func number(ofDigits count: Int) -> Int? {
        let (value, digits) = number(digits: count)
        return digits == count ? value : nil
    }

    /// Reads a day that the Gregorian calendar has.
    mutating func day(yearDigits: Int) -> (year: Int, month: Int, day: Int)? {
        guard let year = number(ofDigits: yearDigits), skip("-"),
            let month = number(ofDigits: 2), skip("-"), let day = number(ofDigits: 2),
            1...12 ~= month, 1...lastDay(ofMonth: month, inYear: year) ~= day
        else { return nil }
        return (year, month, day)
    }

    private func lastDay(ofMonth month: Int, inYear year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
