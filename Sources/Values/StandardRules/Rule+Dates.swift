public import ModelKitEssentials

// Now is what the clock of the task says, `FieldClock.current` of the fields, when the rule is asked; each date is
// an instant, not a day.

extension Rule where Value == Date {
    /// Earlier than now: "must be in the past".
    ///
    /// ```swift
    /// let birthday = Field<Date>().require(.past)
    /// ```
    public static var past: Rule { comparing("past", "must be in the past") { $0 < 0 } }

    /// Later than now: "must be in the future".
    public static var future: Rule { comparing("future", "must be in the future") { $0 > 0 } }

    /// Not later than now: "must not be in the future".
    public static var pastOrPresent: Rule {
        comparing("pastOrPresent", "must not be in the future") { $0 <= 0 }
    }

    /// Not earlier than now: "must not be in the past".
    public static var futureOrPresent: Rule {
        comparing("futureOrPresent", "must not be in the past") { $0 >= 0 }
    }

    /// Earlier than a date: "must be before 2026-11-21T09:30:00Z".
    public static func before(_ date: Date) -> Rule {
        Rule(
            Issue("before", "must be before", .date(date), as: "max"),
            constraint: .exclusiveMaximum(.date(date))
        ) { $0 < date }
    }

    /// Later than a date: "must be after 2026-11-21T09:30:00Z".
    public static func after(_ date: Date) -> Rule {
        Rule(
            Issue("after", "must be after", .date(date), as: "min"),
            constraint: .exclusiveMinimum(.date(date))
        ) { $0 > date }
    }

    /// Not further from a date than some time, before or after it: "must be within 90 minutes of
    /// 2026-11-21T09:30:00Z".
    ///
    /// - Parameters:
    ///   - duration: How far away it may be, inclusive.
    ///   - date: The date; now if none is given.
    /// - Returns: The rule.
    public static func within(_ duration: Duration, of date: Date? = nil) -> Rule {
        let seconds = duration / .seconds(1)
        let issue = Issue(
            standard: "within",
            message: "must be within \(phrase(seconds)) of "
                + (date.map { AttributeValue.date($0).description } ?? "now"),
            parameters: date.map { ["seconds": .double(seconds), "date": .date($0)] }
                ?? ["seconds": .double(seconds)]
        )
        let constraint =
            date.map { date in
                let (first, last) = (
                    date.addingTimeInterval(-seconds), date.addingTimeInterval(seconds)
                )
                return Constraint.all([.minimum(.date(first)), .maximum(.date(last))])
            } ?? .opaque
        return Rule(issue, constraint: constraint) { value in
            let distance = value.timeIntervalSince(date ?? Now.date)
            return distance.magnitude <= seconds
        }
    }

    /// In numbers, as a date that is none is not less than another one and not greater.
    private static func comparing(
        _ code: String,
        _ message: String,
        _ test: @escaping @Sendable (_ secondsFromNow: Double) -> Bool
    ) -> Rule {
        standard(code, message) { test($0.timeIntervalSince(Now.date)) }
    }

    /// A time in the largest unit that it is whole in.
    private static func phrase(_ seconds: Double) -> String {
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        for (length, name) in units {
            let count = seconds / Double(length)
            guard count >= 1, let whole = Int64(exactly: count) else { continue }
            return whole == 1 ? "1 \(name)" : "\(whole) \(name)s"
        }
        return "\(AttributeValue.double(seconds).phrase) seconds"
    }
}
