package import ModelKitFields

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension SQLiteStatement {
    /// Binds a value: a boolean as 0 or 1, a date as whole microseconds since 1970 in UTC.
    ///
    /// Throws for NaN, for a date beyond ±292 000 years, and for an array or a dictionary, whose JSON
    /// text is for the caller to make.
    package func bind(_ value: AttributeValue, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .bool(let value): try bind(value ? 1 as Int64 : 0, at: index)
        case .int(let value): try bind(value, at: index)
        case .double(let value): try bind(value, at: index)
        case .string(let value): try bind(value, at: index)
        case .data(let value): try bind(value, at: index)
        case .date(let value): try bind(value, at: index)
        case .array, .dictionary:
            throw refusal(index, "\(value.kind), not its JSON text")
        }
    }

    /// Binds whole microseconds since 1970 in UTC, to which the date is rounded.
    package func bind(_ value: Date, at index: Int) throws {
        // Whole seconds apart, so that neither sum nor product is rounded.
        let since2001 = value.timeIntervalSinceReferenceDate
        let seconds = since2001.rounded(.down)
        guard let whole = Int64(exactly: seconds),
            case let (since1970, false) = whole.addingReportingOverflow(Self.referenceSeconds),
            case let (scaled, false) = since1970.multipliedReportingOverflow(by: 1_000_000),
            case let (sum, false) = scaled.addingReportingOverflow(
                Int64(((since2001 - seconds) * 1_000_000).rounded())
            )
        else { throw refusal(index, "a date that is too far away") }
        try bind(sum, at: index)
    }

    /// The date of a column that holds microseconds since 1970 in UTC.
    package func date(at index: Int) -> Date {
        let (seconds, rest) = int64(at: index).quotientAndRemainder(dividingBy: 1_000_000)
        return Date(
            timeIntervalSinceReferenceDate: Double(seconds - Self.referenceSeconds)
                + Double(rest) / 1_000_000
        )
    }

    /// 2001-01-01 UTC in seconds since 1970.
    private static var referenceSeconds: Int64 { 978_307_200 }
}
