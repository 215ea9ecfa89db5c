public import ModelKitEssentials

// What a text has to look like is decided, and said, by the rule of the same name.

extension Parser where Input == String {
    /// A day as RFC 3339 writes it, `2024-01-31`: its first moment in UTC.
    ///
    /// Of another moment the day in UTC is printed.
    public static var date: Parser<String, Date> {
        formatted(.date) {
            Timestamp.date(from: $0 + "T00:00:00Z")
        } print: { date in
            Timestamp.text(of: date).map { String($0.prefix { $0 != "T" }) }
        }
    }

    /// A day and a time with its offset from UTC as RFC 3339 writes them, `2024-01-31T12:30:00Z`.
    ///
    /// To the microsecond; printed in UTC. A leap second, which is only at the end of a month in UTC,
    /// is the second after it.
    public static var dateTime: Parser<String, Date> {
        formatted(.dateTime) {
            Timestamp.date(from: $0)
        } print: {
            Timestamp.text(of: $0)
        }
    }

    /// A UUID in groups of 8, 4, 4, 4 and 12 digits of either case.
    public static var uuid: Parser<String, UUID> {
        formatted(.uuid) {
            UUID(uuidString: $0)
        } print: {
            $0.uuidString
        }
    }

    /// An absolute http or https URL with a host.
    public static var url: Parser<String, URL> { url(schemes: ["http", "https"]) }

    /// An absolute URL with a host and one of these schemes.
    ///
    /// Another one is not printed.
    public static func url(schemes: [String]) -> Parser<String, URL> {
        formatted(.url(schemes: schemes)) {
            URL(string: $0)
        } print: {
            $0.absoluteString
        }
    }

    private static func formatted<Value>(
        _ rule: Rule<String>,
        _ make: @escaping @Sendable (String) -> Value?,
        print: @escaping @Sendable (Value) -> String?
    ) -> Parser<String, Value> {
        // Empty text is of none of these formats.
        Parser<String, Value>(
            rule.issues(for: "")[0],
            { rule.issues(for: $0).isEmpty ? make($0) : nil },
            print: { print($0).flatMap { rule.issues(for: $0).isEmpty ? $0 : nil } }
        )
    }
}
