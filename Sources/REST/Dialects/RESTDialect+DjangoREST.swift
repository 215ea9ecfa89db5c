extension RESTDialect {
    /// That of Django REST framework with django-filter, and the pagination by pages that comes with it.
    ///
    /// | what | how |
    /// |---|---|
    /// | `\.age >= 18` | `age__gte=18` |
    /// | `.isIn(\.city, ["Rome", "Oslo"])` | `city__in=Rome,Oslo` |
    /// | `\.name == nil` | `name__isnull=true` |
    /// | `.hasPrefix(\.name, "A")` | `name__startswith=A` |
    /// | `.has(\.company, \.name == "Acme")` | `company__name=Acme` |
    /// | `.descending(\.age)` | `ordering=-age` |
    /// | a list | `{"count": 70, "next": "https://…", "results": […]}`, or the models alone |
    /// | how many there are | `count` of a list; there is none with pages by cursor |
    /// | errors | `{"name": ["…"], "non_field_errors": ["…"]}`, `{"detail": "…"}` |
    ///
    /// Each lookup has to be allowed by the view's `filterset_fields`, or else Django ignores it; a view that
    /// refuses what it does not know is a safer one. Empty texts, and texts with blanks around them, cannot be
    /// asked for, as django-filter ignores the first and strips the others; nor can models whose related model
    /// has null in a field, as Django adds those that have no related model. A filter by one of several related
    /// models should have `distinct=True`, or else a model comes as often as it has such; it is taken once.
    ///
    /// The other paginations are `dialect.pagination = .offset(total: ["count"])` and `.next(size: "page_size")`
    /// for that by cursor. Paths end with a slash where the router says so: `router.hasTrailingSlash = true`;
    /// keys are those of Python in a context with `keyCase: .snake`.
    public static let djangoREST: RESTDialect = {
        let lookups: [RESTCondition.Comparison: String] = [
            .equal: "", .less: "__lt", .lessOrEqual: "__lte", .greater: "__gt",
            .greaterOrEqual: "__gte", .isNull: "__isnull", .isIn: "__in",
            .contains: "__contains", .hasPrefix: "__startswith", .hasSuffix: "__endswith",
            .hasSubstring: "__contains",
        ]
        var dialect = RESTDialect(
            name: "Django REST framework",
            query: RESTDialect.query { condition in
                guard let lookup = lookups[condition.comparison],
                    // A parameter without a text asks for everything, and blanks around one are lost.
                    !condition.texts.contains(where: \.isStripped)
                else { return nil }
                // Those without a related model would come, too.
                let isNull = condition.comparison == .isNull && condition.values == [true]
                if isNull, condition.isRelated { return nil }
                // Commas stand between the values of a list, and there is no empty one.
                if condition.comparison == .isIn,
                    condition.texts.isEmpty || condition.texts.contains(where: { $0.contains(",") })
                {
                    return nil
                }
                let name = condition.names.joined(separator: "__") + lookup
                return QueryParameters.Parameter(name: name, value: condition.text)
            } order: { orders in
                let names = orders.map { order in
                    (order.isDescending ? "-" : "") + order.names.joined(separator: "__")
                }
                return .init(name: "ordering", value: names.joined(separator: ","))
            },
            pagination: .next(),
            envelope: .list("results")
        )
        dialect.countPath = ["count"]
        return dialect
    }()
}

extension String {
    /// Whether Python's `strip` makes another text of it, or there is nothing.
    fileprivate var isStripped: Bool {
        guard let first = unicodeScalars.first, let last = unicodeScalars.last else { return true }
        return [first, last].contains { $0.properties.isWhitespace || 0x1C...0x1F ~= $0.value }
    }
}
