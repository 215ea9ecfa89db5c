/// Whether the bytes are a full-date of RFC 3339, `yyyy-MM-dd`: a day that the Gregorian calendar
/// has, extended to the years 0000 to 9999.
package func isFullDate<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    let year = scanner.number(digits: 4)
    guard year.digits == 4, scanner.skip("-") else { return false }
    let month = scanner.number(digits: 2)
    guard month.digits == 2, scanner.skip("-") else { return false }
    let day = scanner.number(digits: 2)
    guard day.digits == 2, scanner.isAtEnd, 1...12 ~= month.value else { return false }
    return 1...days(inMonth: month.value, ofYear: year.value) ~= day.value
}

private func days(inMonth month: Int, ofYear year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
}
