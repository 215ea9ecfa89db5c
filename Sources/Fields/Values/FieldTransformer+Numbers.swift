public import ModelKitEssentials

extension FieldTransformer<Date> {
    /// Dates as texts of RFC 3339, `2026-11-21T09:30:00Z`, also where a dictionary would hold the date
    /// itself.
    ///
    /// It is exact to the microsecond. A date beyond ±292 000 years stays a date.
    public static var rfc3339: FieldTransformer {
        FieldTransformer(
            kind: .string,
            export: { date in Timestamp.text(of: date).map { .string($0) } ?? .date(date) },
            import: { value throws(Issue) in try Date(attributeValue: value) }
        )
    }

    /// Dates as seconds since 1970 in UTC, a whole number if they are.
    ///
    /// ```swift
    /// let born = Field<Date>().transform(with: .epochSeconds)
    /// ```
    ///
    /// It is exact to the microsecond from 1834 to 2106. A number beyond ±292 000 years, or one that is
    /// none, is an issue.
    public static var epochSeconds: FieldTransformer { epoch(unitsPerSecond: 1) }

    /// Dates as milliseconds since 1970 in UTC, a whole number if they are.
    ///
    /// It is exact to the microsecond from 1834 to 2106. A number beyond ±292 000 years, or one that is
    /// none, is an issue.
    public static var epochMilliseconds: FieldTransformer { epoch(unitsPerSecond: 1000) }

    private static func epoch(unitsPerSecond: Int64) -> FieldTransformer {
        let microseconds = 1_000_000 / unitsPerSecond
        var transformer = FieldTransformer(
            // One that is whole is an integer, which is not of the same kind.
            kind: .any,
            export: { date in
                guard let exact = Timestamp.exactMicroseconds(of: date) else {
                    return .double(date.timeIntervalSince1970 * Double(unitsPerSecond))
                }
                let (whole, rest) = exact.quotientAndRemainder(dividingBy: microseconds)
                return rest == 0
                    ? .int(whole) : .double(Double(exact) / Double(microseconds))
            },
            import: { value throws(Issue) in
                switch value {
                case .date(let date): return date
                case .int(let number):
                    let (product, isTooFar) = number.multipliedReportingOverflow(by: microseconds)
                    if !isTooFar { return Timestamp.date(microseconds: product) }
                case .double(let number):
                    let product = (number * Double(microseconds)).rounded()
                    if let exact = Int64(exactly: product) {
                        return Timestamp.date(microseconds: exact)
                    }
                default: throw .wrongType(value, expected: "a number")
                }
                throw .outOfRange(value, Date.self)
            }
        )
        transformer.isNumber = true
        return transformer
    }
}

extension FieldTransformer<Decimal> {
    /// Decimals as numbers where those keep every digit, otherwise as texts.
    ///
    /// ```swift
    /// let price = Field<Decimal>().transform(with: .number)   // 12.5, but "0.1234567890123456789"
    /// ```
    public static var number: FieldTransformer {
        FieldTransformer(
            kind: .any,
            export: { $0.number ?? $0.attributeValue },
            import: { value throws(Issue) in try Decimal(attributeValue: value) }
        )
    }
}
