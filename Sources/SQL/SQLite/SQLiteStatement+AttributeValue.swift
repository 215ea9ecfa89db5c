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
        // Apart, so that dates of our time lose nothing: counted from 1970 they have one bit less.
        let microseconds = (value.timeIntervalSinceReferenceDate * 1_000_000).rounded()
        guard let whole = Int64(exactly: microseconds),
            case (let sum, false) = whole.addingReportingOverflow(Self.referenceDate)
        else { throw refusal(index, "a date that is too far away") }
        try bind(sum, at: index)
    }

    /// The date of a column that holds microseconds since 1970 in UTC.
    package func date(at index: Int) -> Date {
        let (whole, overflow) = int64(at: index).subtractingReportingOverflow(Self.referenceDate)
        let microseconds = overflow ? Double(Int64.min) : Double(whole)
        return Date(timeIntervalSinceReferenceDate: microseconds / 1_000_000)
    }

    /// 2001-01-01 UTC in microseconds since 1970.
    private static var referenceDate: Int64 { 978_307_200_000_000 }
}
