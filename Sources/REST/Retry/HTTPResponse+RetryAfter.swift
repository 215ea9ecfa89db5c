public import ModelKitEssentials

extension HTTPResponse {
    /// How long the server asks to wait before the next request (RFC 9110, 10.2.3).
    ///
    /// ```swift
    /// HTTPResponse(status: 503, headers: ["Retry-After": "120"]).retryAfter()  // 120 seconds
    /// ```
    ///
    /// - Parameter date: The time of day here, for a server that names a time: it may be off by what the
    ///   two clocks are apart.
    /// - Returns: None for a time that is over, and at most a century; nil where the server does not say, or
    ///   says it in a way that means nothing.
    public func retryAfter(at date: Date = Date()) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        let century = 100 * 366 * 86_400
        let words = text.split { $0 == " " || $0 == "\t" }
        if words.count == 1, words[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return .seconds(min(Int(words[0]) ?? century, century))
        }
        guard let end = HTTPDate.date(from: text, at: date) else { return nil }
        let seconds = end.timeIntervalSince(date)
        return .seconds(min(max(seconds.rounded(.up), 0), Double(century)))
    }
}

/// Dates as HTTP writes them (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, and in two ways that
/// are obsolete, but to be understood.
private enum HTTPDate {
    /// The date that a text stands for.
    ///
    /// - Parameters:
    ///   - text: The text, perhaps with spaces around it.
    ///   - now: The present, as one of the old forms has but two digits of a year: it is not more than
    ///     50 years ahead.
    /// - Returns: nil if the text is no date.
    static func date(from text: String, at now: Date) -> Date? {
        let words = text.split { $0 == " " || $0 == "\t" }
        switch words.count {
        case 6 where words[5] == "GMT" && words[0].last == ",":
            guard shortDays.contains(words[0].dropLast()), words[1].count == 2 else { return nil }
            return date(words[3], words[2], words[1], words[4])
        case 4 where words[3] == "GMT" && words[0].last == ",":
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard days.contains(String(words[0].dropLast())), parts.count == 3,
                parts[0].count == 2, parts[2].count == 2
            else { return nil }
            return obsolete(parts, words[2], at: now)
        case 5:
            let day = words[2].count == 1 ? "0" + words[2] : words[2]
            guard shortDays.contains(words[0]), day.count == 2 else { return nil }
            return date(words[4], words[1], day, words[3])
        default: return nil
        }
    }

    private static let days = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let shortDays = days.map { $0.prefix(3) }
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func date(
        _ year: Substring,
        _ month: Substring,
        _ day: Substring,
        _ time: Substring
    ) -> Date? {
        guard let month = months.firstIndex(of: String(month)), year.utf8.count == 4,
            time.utf8.count == 8
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp.date(from: "\(year)-\(number)-\(day)T\(time)Z")
    }

    /// The year that ends with two digits, and is the last that is not more than 50 years ahead.
    private static func obsolete(_ parts: [Substring], _ time: Substring, at now: Date) -> Date? {
        guard let present = Timestamp.text(of: now), let century = Int(present.prefix(2)) else {
            return nil
        }
        let limit = now.addingTimeInterval(50 * 365.2425 * 86_400)
        return [century + 1, century, century - 1].lazy
            .compactMap { date("\($0)" + parts[2], parts[1], parts[0], time) }
            .first { $0 <= limit }
    }
}
